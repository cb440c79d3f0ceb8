import type { NewOperation, Operation } from "../contract/operation.js";
import type { RedriveResult } from "../ports/operation-store.js";
import type { Entry } from "./entry.js";
import { continuing, type OutputTable } from "./output.js";

/** Returns the result of a redrive that changes nothing, or undefined if the work can run again. */
export function knownRedrive({ operation, wasPending }: Entry): RedriveResult | undefined {
  const { state, retriedBy } = operation;
  if (retriedBy !== undefined) return { outcome: "redriven", operationId: retriedBy, created: false };
  return state === "failed" && wasPending ? undefined : { outcome: "not-redrivable", state };
}

/** Returns the operation that runs a failed one again. It has the same work, but neither its key nor what has become of it. */
export function successorOf(
  failed: Operation,
  ids: { readonly id: string; readonly onEndId: string },
): NewOperation {
  const { id: retryOf, key, state, attempt, createdAt, settledAt, cancelRequested, ...rest } = failed;
  const { resource, progress, result, error, lastError, retriedBy, onEnd, ...work } = rest;
  const successor = { ...work, id: ids.id, retryOf };
  return onEnd === undefined ? successor : { ...successor, onEnd: { ...onEnd, id: ids.onEndId } };
}

/** Lets a successor start from the last checkpoint of the failed operation, if there is one. */
export function keepCheckpoint(
  outputs: Pick<OutputTable, "head" | "save">,
  id: string,
  successor: string,
): void {
  const failed = outputs.head(id);
  const kept = failed && continuing(failed);
  if (kept !== undefined) outputs.save(successor, kept);
}
