import { isAsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import { reportError, type WorkerContext } from "../context.js";
import { sleep } from "../latch.js";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/**
 * Settles an attempt and does not give up while the store is out of reach: the work is done, and doing it again is what
 * this prevents. Undefined when the worker had to stop first; the lease then runs out and the sweep takes over.
 */
export async function settleReliably(
  lease: Lease,
  settlement: Settlement,
  context: WorkerContext,
): Promise<SettleResult | undefined> {
  const { backend, runtime, stopping } = context;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await backend.operations.settle(lease, settlement);
    } catch (error) {
      reportError(context, "settle", error);
      if (!isPassing(error)) return refused(lease, settlement, context);
      if (stopping.raised) return undefined;
      await sleep(delayMs, runtime.clock, stopping);
    }
  }
}

/** The store cannot keep what was settled, and would not the next time either: end the operation without it. */
function refused(
  lease: Lease,
  settlement: Settlement,
  context: WorkerContext,
): Promise<SettleResult | undefined> {
  if (settlement.to !== "completed") return Promise.resolve(undefined);
  const error = operationError("invalid-result", "The work was done, but its result cannot be kept.");
  return settleReliably(lease, { to: "failed", error }, context);
}

function isPassing(error: unknown): boolean {
  const code = isAsyncReplyError(error) ? error.code : undefined;
  return code === "STORE_UNAVAILABLE" || code === "OVERLOADED";
}
