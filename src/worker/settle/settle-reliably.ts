import { isAsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";
import type { Lease, OperationStore, SettleResult } from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import { type Latch, sleep } from "../latch.js";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

export interface SettleOptions {
  readonly operations: OperationStore;
  readonly clock: Clock;
  /** Raised when the worker can wait no longer. */
  readonly stopping: Latch;
  readonly onError: (step: string, error: unknown) => void;
}

/**
 * Settles an attempt and does not give up while the store is out of reach: the work is done, and doing it again is what
 * this prevents. Undefined when the worker had to stop first; the lease then runs out and the sweep takes over.
 */
export async function settleReliably(
  lease: Lease,
  settlement: Settlement,
  options: SettleOptions,
): Promise<SettleResult | undefined> {
  const { operations, clock, stopping, onError } = options;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await operations.settle(lease, settlement);
    } catch (error) {
      onError("settle", error);
      if (!isPassing(error)) return refused(lease, settlement, options);
      if (stopping.raised) return undefined;
      await sleep(delayMs, clock, stopping);
    }
  }
}

/** The store cannot keep what was settled, and would not the next time either: end the operation without it. */
function refused(
  lease: Lease,
  settlement: Settlement,
  options: SettleOptions,
): Promise<SettleResult | undefined> {
  if (settlement.to !== "completed") return Promise.resolve(undefined);
  const error = operationError("invalid-result", "The work was done, but its result cannot be kept.");
  return settleReliably(lease, { to: "failed", error }, options);
}

function isPassing(error: unknown): boolean {
  const code = isAsyncReplyError(error) ? error.code : undefined;
  return code === "STORE_UNAVAILABLE" || code === "OVERLOADED";
}
