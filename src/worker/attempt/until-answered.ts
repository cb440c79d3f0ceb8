import type { Operation, Settlement } from "../../contract/operation.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { OutputState } from "../../ports/output-store.js";
import { insteadOf, isRefused } from "../../protocol/refused-ending.js";
import { reportError, type WorkerContext } from "../context.js";
import { sleep } from "../latch.js";
import type { Ending } from "./ending.js";

/** Delays after calls that the store did not answer. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/**
 * Repeats a call of the store while it is unavailable, so that finished work is not done again. Resolves to undefined if the
 * worker had to stop first.
 *
 * Throws the error of a store that refuses the data.
 */
export async function untilAnswered<Answer>(
  context: WorkerContext,
  step: string,
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const { runtime, stopping } = context;
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      return await call();
    } catch (error) {
      reportError(context, step, error);
      if (isRefused(error)) throw error;
      if (stopping.raised) return undefined;
      await sleep(delayMs, runtime.clock, stopping);
    }
  }
}

/** Reads what stands when an attempt begins. Resolves to undefined if the worker had to stop first. */
export function readStanding(
  lease: Lease,
  context: WorkerContext,
): Promise<OutputState | "lost" | undefined> {
  const { output } = context.backend;
  // A worker refuses such definitions on a back end without output.
  return untilAnswered(context, "read-output", async () => output?.begun(lease) ?? { count: 0, bytes: 0 });
}

/**
 * Settles an attempt unless it already is, and keeps retrying while the store is unavailable. If the store refuses the ending, settles it
 * with another one. Resolves to undefined if there is nothing to settle, if the store refuses every ending, or if the worker had
 * to stop first. Then the lease expires, and a claim begins the next attempt.
 */
export async function settledAs(
  lease: Lease,
  operation: Operation,
  { settlement, settled }: Ending,
  context: WorkerContext,
): Promise<SettleResult | undefined> {
  if (settled !== undefined || settlement === undefined) return settled;
  const { operations } = context.backend;
  const settle = (each: Settlement): Promise<SettleResult | undefined> =>
    untilAnswered(context, "settle", () => operations.settle(lease, each));
  try {
    return await settle(settlement);
  } catch {
    for (const other of insteadOf(settlement, operation)) {
      const result = await settle(other).catch(() => "refused" as const);
      if (result !== "refused") return result;
    }
    return undefined;
  }
}
