import type { Operation } from "../contract/operation.js";
import { present } from "../contract/options.js";
import type { Observer } from "../ports/observer.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import type { WorkCounter } from "../ports/work-counter.js";
import { type Bell, ringAfterEnd } from "../protocol/bell.js";
import type { OperationsContext } from "./context.js";
import { readOperation, storeAnswer } from "./store-answer.js";

/** Outcome of a cancellation, and the operation after it. */
export interface Cancelled {
  readonly outcome: CancelOutcome;
  /** Absent if it is gone. */
  readonly operation?: Operation;
}

/** How a caller reaches operations, within its time limit. */
export interface CancelCalls {
  requestCancel(id: string, tenant: string): Promise<CancelOutcome>;
  read(id: string, tenant: string): Promise<Operation | undefined>;
}

/** Returns the calls of everyone who acts for one tenant. */
export function callsOf(context: OperationsContext): CancelCalls {
  return {
    requestCancel: (id, tenant) => storeAnswer(context, context.backend.operations.requestCancel(id, tenant)),
    read: (id, tenant) => readOperation(context, id, tenant),
  };
}

/** Dependencies of a cancellation. */
interface CancelContext {
  readonly bell: Pick<Bell, "ring">;
  readonly observe: Observer;
  readonly minutes: WorkCounter | undefined;
}

/** Cancels an operation that was read, reports it if that ended it, and rings for work that may have its place. */
export async function cancelOperation(
  { requestCancel, read }: CancelCalls,
  found: Operation,
  { bell, observe, minutes }: CancelContext,
): Promise<Cancelled> {
  const { id, tenant, definition, principal, createdAt } = found;
  const outcome = await requestCancel(id, tenant);
  if (outcome === "cancelled") {
    const about = { operationId: id, definition, tenant, ...present({ principal }) };
    observe({ event: "operation.cancelled", ...about, createdAt });
    minutes?.followedUp(found);
    ringAfterEnd(bell, found, false);
  }
  const operation = await read(id, tenant);
  return operation === undefined ? { outcome } : { outcome, operation };
}
