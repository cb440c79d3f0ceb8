import type { NewOperation, Operation } from "../contract/operation.js";
import type { RedriveResult } from "../ports/operation-store.js";
import type { Entry } from "./entry.js";

/** Returns the result of a redrive that changes nothing, or undefined if the work can run again. */
export function knownRedrive({ operation, wasPending }: Entry): RedriveResult | undefined {
  const { state, retriedBy } = operation;
  if (retriedBy !== undefined) return { outcome: "redriven", operationId: retriedBy, created: false };
  return state === "failed" && wasPending ? undefined : { outcome: "not-redrivable", state };
}

/** Returns the operation that runs a failed one again. */
export function successorOf(
  {
    id: retryOf,
    tenant,
    definition,
    principal,
    input,
    retentionMs,
    failedRetentionMs,
    meta,
    onEnd,
    hidden,
    urgency,
    lane,
    startWithinMs,
  }: Operation,
  ids: { readonly id: string; readonly onEndId: string },
): NewOperation {
  return {
    id: ids.id,
    tenant,
    definition,
    input,
    retentionMs,
    retryOf,
    ...(principal === undefined ? {} : { principal }),
    ...(failedRetentionMs === undefined ? {} : { failedRetentionMs }),
    ...(meta === undefined ? {} : { meta }),
    ...(onEnd === undefined ? {} : { onEnd: { ...onEnd, id: ids.onEndId } }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(urgency === undefined ? {} : { urgency }),
    ...(lane === undefined ? {} : { lane }),
    ...(startWithinMs === undefined ? {} : { startWithinMs }),
  };
}
