import { isAsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import { reportError, type WorkerContext } from "../context.js";
import { sleep } from "../latch.js";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/**
 * Settles an attempt, and keeps retrying while the store is unavailable, so that finished work is not done again.
 * Returns undefined if the worker had to stop first. Then the lease expires and the sweep takes over.
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
      if (!isTemporary(error)) return refused(lease, settlement, context);
      if (stopping.raised) return undefined;
      await sleep(delayMs, runtime.clock, stopping);
    }
  }
}

/** Fails the operation, because the store refused its result and would refuse it again. */
function refused(
  lease: Lease,
  settlement: Settlement,
  context: WorkerContext,
): Promise<SettleResult | undefined> {
  if (settlement.to !== "completed") return Promise.resolve(undefined);
  const error = operationError("invalid-result", "The work was done, but the store refused its result.");
  return settleReliably(lease, { to: "failed", error }, context);
}

function isTemporary(error: unknown): boolean {
  const code = isAsyncReplyError(error) ? error.code : undefined;
  return code === "STORE_UNAVAILABLE" || code === "OVERLOADED";
}
