import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError, operationFailed } from "../contract/errors.js";
import { parseStored } from "../contract/json/json-text.js";
import { isTerminal, type Operation } from "../contract/operation.js";
import { checkIdText } from "../contract/option-values.js";
import { shownProblem } from "../contract/problem.js";
import type { ServiceContext } from "../http/context.js";
import { serviceClosed } from "../protocol/lifecycle.js";
import { knownDefinition, readCall } from "./call.js";
import { findOperation } from "./find-operation.js";

/** Waits for the end of an operation and returns its result. See `Service.result`. */
export async function result(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: { readonly tenant?: string; readonly signal?: AbortSignal } | undefined,
): Promise<unknown> {
  const { name } = knownDefinition(context, definition);
  checkIdText(id, "of a submission");
  const { tenant, signal } = readCall(context, "result", options, { tenant: true, signal: true });
  const { hub } = context;
  for (;;) {
    signal?.throwIfAborted();
    if (hub.closed) throw serviceClosed();
    const subscription = hub.subscribe({ id, tenant, signal });
    try {
      let latest: Operation | undefined = await find(context, name, id, tenant);
      while (latest !== undefined) {
        if (isTerminal(latest.state)) return resultOf(latest, context.settings.problemBaseUri);
        latest = (await subscription?.next())?.operation;
      }
      // All places are taken, so this call polls.
      if (subscription === undefined) await hub.pause(signal);
    } finally {
      subscription?.close();
    }
  }
}

async function find(
  context: ServiceContext,
  definition: string,
  id: string,
  tenant: string,
): Promise<Operation> {
  const found = await findOperation(context, definition, id, tenant);
  if (found !== undefined) return found;
  throw new AsyncReplyError("NOT_FOUND", `This tenant has no operation of "${definition}" with this id.`);
}

function resultOf({ state, result: value, error = "{}" }: Operation, problemBaseUri: string): unknown {
  if (state === "completed") return value === undefined ? undefined : parseStored(value);
  throw operationFailed(shownProblem(parseStored(error), problemBaseUri));
}
