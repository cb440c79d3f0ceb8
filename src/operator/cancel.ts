import { present, readOptions } from "../contract/options.js";
import { type CancelCalls, cancelOperation } from "../operations/cancel.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import { ACTION_OPTIONS, type ActionOptions, recordAction } from "./act.js";
import type { OperatorContext } from "./context.js";
import { type OperationDetails, readDetails } from "./details.js";

/** Outcome of `Operator.cancel`. */
export interface OperatorCancelResult {
  /**
   * - `cancelled`: the operation has failed with the problem `cancelled`.
   * - `requested`: a worker is running it and learns of the cancellation at once, or at its next lease renewal at the
   *   latest.
   * - `terminal`: the operation had already ended.
   * - `unknown`: the operation does not exist, is hidden or is `preparing`, and so cannot be cancelled.
   */
  readonly outcome: CancelOutcome;
  /** The operation after the call. Absent if it does not exist. */
  readonly operation?: OperationDetails;
}

/** Cancels an operation: see `Operator.cancel`. */
export async function cancel(
  context: OperatorContext,
  operationId: string,
  options: ActionOptions = {},
): Promise<OperatorCancelResult> {
  const by = readOptions<ActionOptions>(options, ACTION_OPTIONS, "operator.cancel");
  const { store } = context;
  let found = await store.inspect(operationId);
  if (found === undefined) return { outcome: "unknown" };
  const { definition, tenant, principal, cancelRequested } = found.operation;
  const event = { action: "cancel", operationId, definition, tenant, ...present({ principal }) } as const;
  const requestCancel: CancelCalls["requestCancel"] = async (...given) => {
    const outcome = await store.requestCancel(...given);
    const isNew = outcome === "cancelled" || (outcome === "requested" && cancelRequested !== true);
    if (isNew) await recordAction(context, { event, facts: { outcome } }, by);
    return outcome;
  };
  const read: CancelCalls["read"] = async () => {
    found = await store.inspect(operationId);
    return found?.operation;
  };
  const { outcome } = await cancelOperation({ requestCancel, read }, found.operation, context);
  return found === undefined ? { outcome } : { outcome, operation: await readDetails(context, found) };
}
