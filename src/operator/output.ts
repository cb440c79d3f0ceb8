import { parseStored } from "../contract/json/json-text.js";
import { isTerminal, type JsonText } from "../contract/operation.js";
import { optional } from "../contract/option-values.js";
import { invalidOption, misuse, readOptions, shown } from "../contract/options.js";
import {
  BEGINNING,
  END,
  type OutputPart,
  type OutputPosition,
  parsePosition,
  positionText,
} from "../contract/output.js";
import type { OutputSlice } from "../ports/output-store.js";
import { checkKnown, type OperatorContext } from "./context.js";

/** Options of `Operator.output`. */
export interface OperationOutputOptions {
  /** `position` of an earlier part, to read what follows. Default: none; the call reads the end of the output. */
  readonly from?: string | undefined;
}

/**
 * A part of an output: at most its last 64 KB. If `at` is greater than the number of chunks before `from`, those between are left out.
 */
export interface OperationOutput extends OutputPart<unknown> {
  /** Whether nothing is added to the output any more. */
  readonly closed: boolean;
}

/** Length of the chunks of a part, as JSON. A longer chunk is alone in its part. UTF-16 code units. */
const MAX_LENGTH = 65_536;
/** Number of chunks before the end that are read at first. */
const FIRST_CHUNKS = 256;

/** Reads a part of an output: see `Operator.output`. */
export async function readOutput(
  context: OperatorContext,
  operationId: string,
  options: OperationOutputOptions = {},
): Promise<OperationOutput | undefined> {
  const { from } = readOptions(options, { from: optional(readFrom) }, "operator.output");
  const operation = (await context.store.inspect(operationId))?.operation;
  if (operation === undefined) return undefined;
  const read = readerOf(context, operation);
  const tail = await (from === undefined ? readEnd(read) : readOn(read, from));
  if (tail === undefined) return undefined;
  const { at, texts, last } = tail;
  const closed = last.upToDate && isTerminal(last.state);
  return { at, chunks: texts.map(parseStored), position: positionText(last.end), closed };
}

/** Reads a slice of one output. Returns undefined if its operation was deleted. */
type Read = (after: OutputPosition) => Promise<OutputSlice | undefined>;

function readerOf(
  context: OperatorContext,
  { id, definition }: { readonly id: string; readonly definition: string },
): Read {
  const name = checkKnown(context, definition);
  const { definitions, readOutput: read } = context;
  const hasChunks = definitions.some((known) => known.name === name && known.chunk !== undefined);
  if (!hasChunks || read === undefined)
    throw misuse(`The definition ${shown(name)} has no output. Add the option \`chunk\` to it.`);
  return (after) => read(id, after);
}

/** The end of what was read. */
interface Tail {
  /** Number of chunks before `texts`. */
  readonly at: number;
  readonly texts: readonly JsonText[];
  readonly last: OutputSlice;
}

/** Reads the end of an output: from further and further back, until it is long enough. */
async function readEnd(read: Read): Promise<Tail | undefined> {
  const { start: end } = (await read(END)) ?? {};
  for (let chunks = FIRST_CHUNKS; end !== undefined; chunks *= 4) {
    const count = end.count - chunks;
    const tail = await readOn(read, count > 0 ? { ...end, count } : BEGINNING);
    if (tail === undefined || count <= 0 || tail.at !== count) return tail;
  }
  return undefined;
}

/** Reads from a place to the end, and keeps what fits. If chunks before the place were discarded, it reads no further than that. */
async function readOn(read: Read, from: OutputPosition): Promise<Tail | undefined> {
  let at = from.count;
  let texts: readonly JsonText[] = [];
  for (let place = from; ; ) {
    const last = await read(place);
    if (last === undefined) return undefined;
    const { start, chunks, end } = last;
    if (start.count < from.count) return { at: start.count, texts: [], last };
    const standing = texts.slice(0, Math.max(0, start.count - at));
    texts = fitting([...standing, ...chunks]);
    at = end.count - texts.length;
    if (last.upToDate) return { at, texts, last };
    place = end;
  }
}

/** Returns the last texts that fit into a part, and at least one. */
function fitting(texts: readonly JsonText[]): readonly JsonText[] {
  let length = 0;
  const tooLong = texts.findLastIndex((text, index) => {
    length += text.length;
    return length > MAX_LENGTH && index < texts.length - 1;
  });
  return texts.slice(tooLong + 1);
}

function readFrom(value: unknown, name: string): OutputPosition {
  const position = typeof value === "string" ? parsePosition(value) : undefined;
  if (position !== undefined) return position;
  throw invalidOption(name, "the `position` of an earlier part, unchanged", value);
}
