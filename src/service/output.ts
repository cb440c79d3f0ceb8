import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError } from "../contract/errors.js";
import { parseStored } from "../contract/json/json-text.js";
import { isTerminal } from "../contract/operation.js";
import { checkIdText } from "../contract/option-values.js";
import { invalidOption, misuse } from "../contract/options.js";
import {
  BEGINNING,
  isSamePosition,
  type OutputPart,
  type OutputPosition,
  parsePosition,
  positionText,
} from "../contract/output.js";
import type { ServiceContext } from "../http/context.js";
import type { Follower } from "../operations/output/follower.js";
import type { OutputHub } from "../operations/output/output-hub.js";
import type { SharedSlice } from "../operations/output/output-reader.js";
import { serviceClosed } from "../protocol/lifecycle.js";
import { knownDefinition, readCall } from "./call.js";
import { findOperation } from "./find-operation.js";

interface OutputOptions {
  readonly tenant?: string;
  readonly from?: string;
  readonly signal?: AbortSignal;
}

/** Reads an output without HTTP. See `Service.output`. */
export async function* output(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: OutputOptions | undefined,
): AsyncGenerator<OutputPart<unknown>, void, undefined> {
  const { lifecycle } = context;
  const reading = await lifecycle.run(() => begin(context, definition, id, options));
  const { follower, outputs, signal } = reading;
  try {
    let place = reading.after;
    let read = (): Promise<SharedSlice | undefined> => follower?.read() ?? outputs.read(id, place);
    for (;;) {
      const slice = await lifecycle.run(read);
      if (slice === undefined) throw endOf(context, reading);
      const isNews = slice.chunks.length > 0 || !isSamePosition(slice.start, place);
      if (isNews) yield toPart(slice);
      if (slice.upToDate && isTerminal(slice.state)) return;
      place = slice.end;
      if (follower !== undefined) read = follower.next;
      // All places are taken, so this call polls.
      else if (!isNews) await lifecycle.run(() => pause(context, signal));
    }
  } finally {
    follower?.close();
  }
}

interface Reading {
  readonly name: string;
  readonly after: OutputPosition;
  readonly signal: AbortSignal | undefined;
  readonly outputs: OutputHub;
  /** Absent if there is no place for it. */
  readonly follower: Follower | undefined;
}

async function begin(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: OutputOptions | undefined,
): Promise<Reading> {
  const { name, chunk } = knownDefinition(context, definition);
  const { outputs } = context;
  if (chunk === undefined || outputs === undefined)
    throw misuse(`The definition "${name}" has no output. Add the option \`chunk\` to it.`);
  checkIdText(id, "of a submission");
  const names = { tenant: true, from: true, signal: true } as const;
  const { tenant, from, signal } = readCall(context, "output", options, names);
  const after = from === undefined ? BEGINNING : parsePosition(from);
  if (after === undefined) throw invalidOption("from", "the `position` of an earlier part", from);
  signal?.throwIfAborted();
  if ((await findOperation(context, name, id, tenant)) === undefined) throw unknownOperation(name);
  return { name, after, signal, outputs, follower: outputs.follow({ id, tenant, after, signal }) };
}

function toPart({ start, chunks, end }: SharedSlice): OutputPart<unknown> {
  return { at: start.count, chunks: chunks.map(parseStored), position: positionText(end) };
}

async function pause({ hub }: ServiceContext, signal: AbortSignal | undefined): Promise<void> {
  await hub.pause(signal);
  signal?.throwIfAborted();
  if (hub.closed) throw serviceClosed();
}

/** Returns the error for an output that ended before it was closed. */
function endOf({ hub }: ServiceContext, { name, signal }: Reading): unknown {
  if (signal?.aborted === true) return signal.reason;
  return hub.closed ? serviceClosed() : unknownOperation(name);
}

function unknownOperation(definition: string): AsyncReplyError {
  return new AsyncReplyError("NOT_FOUND", `This tenant has no operation of "${definition}" with this id.`);
}
