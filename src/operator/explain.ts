import { attemptErrorsIn } from "../contract/attempt-errors.js";
import type { Operation } from "../contract/operation.js";
import { present } from "../contract/present.js";
import type { BoundedCount, DefinitionStats } from "../ports/operation-reads.js";
import type { OperatorContext } from "./context.js";

/**
 * Reason why a pending operation does not run or has not ended.
 *
 * - `cancelling`: its cancellation was requested, and its attempt has not ended.
 * - `attempt-open`: its latest attempt began and reported no end. `lost`: no attempt of its definition runs, so the worker is gone,
 *   and another attempt begins.
 * - `paused`: its definition is paused.
 * - `lane`: older operations of its lane come first.
 * - `retry`: its latest attempt failed. `waits`: the wait for the next one is not over. It may be over otherwise.
 * - `delayed`: no operation of its definition is due, so its delay is not over.
 * - `limit`: as many operations of its definition run as its `limits.running` allows.
 * - `no-worker`: operations of its definition are due and none runs. `oldestDueMs`: how long the oldest has been due. Milliseconds.
 * - `queued`: it waits for a free slot of a worker.
 */
export type WaitingReason =
  | { readonly reason: "cancelling" }
  | { readonly reason: "delayed" }
  | { readonly reason: "attempt-open"; readonly attempt: number; readonly lost: boolean }
  | { readonly reason: "paused"; readonly since: Date; readonly by?: string }
  | { readonly reason: "lane"; readonly ahead: BoundedCount }
  | { readonly reason: "retry"; readonly attempt: number; readonly failedAt: Date; readonly waits: boolean }
  | { readonly reason: "limit"; readonly running: BoundedCount; readonly limit: number }
  | { readonly reason: "no-worker"; readonly due: BoundedCount; readonly oldestDueMs: number }
  | { readonly reason: "queued"; readonly due: BoundedCount; readonly running: BoundedCount };

/** Number of older operations of a tenant that are read to find those of a lane. */
const MAX_AHEAD = 1_000;

/** Explains why an operation does not run: see `Operator.explain`. */
export async function explain(
  context: OperatorContext,
  operationId: string,
): Promise<readonly WaitingReason[] | undefined> {
  const { store, definitions } = context;
  const operation = await store.find(operationId);
  if (operation === undefined) return undefined;
  if (operation.state !== "pending") return [];
  const [stats] = await store.stats({ definitions: [operation.definition] });
  if (stats === undefined) return [];
  const open = openAttempt(operation, stats);
  if (open !== undefined && !open.lost)
    return operation.cancelRequested === true ? [{ reason: "cancelling" }, open] : [open];
  const limit = definitions.find(({ name }) => name === operation.definition)?.limits?.running;
  const reasons = [
    open,
    pauseIn(stats),
    await laneOf(context, operation),
    retryOf(operation, stats) ?? delayIn(operation, stats),
    limitIn(stats, limit),
  ].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? [queueIn(stats)] : reasons;
}

type Named<Reason extends WaitingReason["reason"]> = Extract<WaitingReason, { readonly reason: Reason }>;

/** The number of the latest attempt counts it from its beginning, and the latest error is that of its end. */
function openAttempt(
  { attempt, lastError }: Operation,
  { running }: DefinitionStats,
): Named<"attempt-open"> | undefined {
  const [latest] = attemptErrorsIn(lastError);
  if (attempt <= (latest?.attempt ?? 0)) return undefined;
  return { reason: "attempt-open", attempt, lost: running.count === 0 };
}

function pauseIn({ paused }: DefinitionStats): Named<"paused"> | undefined {
  if (paused === undefined) return undefined;
  return { reason: "paused", since: new Date(paused.since), ...present({ by: paused.by }) };
}

async function laneOf(
  { store }: OperatorContext,
  { id, createdAt, tenant, definition, lane }: Operation,
): Promise<Named<"lane"> | undefined> {
  if (lane === undefined) return undefined;
  const after = { createdAt, id };
  const older = await store.list({
    ...{ tenant, definition, state: "pending", after, limit: MAX_AHEAD },
    internal: true,
  });
  const count = older.filter((each) => each.lane === lane).length;
  return count === 0 ? undefined : { reason: "lane", ahead: { count, more: older.length === MAX_AHEAD } };
}

function retryOf({ lastError, attempt }: Operation, { due }: DefinitionStats): Named<"retry"> | undefined {
  const [latest] = attemptErrorsIn(lastError);
  if (latest === undefined || latest.attempt !== attempt) return undefined;
  return { reason: "retry", attempt, failedAt: new Date(latest.at), waits: due.count === 0 };
}

function delayIn({ attempt }: Operation, { due }: DefinitionStats): Named<"delayed"> | undefined {
  return attempt === 0 && due.count === 0 ? { reason: "delayed" } : undefined;
}

function limitIn({ running }: DefinitionStats, limit: number | undefined): Named<"limit"> | undefined {
  if (limit === undefined || running.count < limit) return undefined;
  return { reason: "limit", running, limit };
}

function queueIn({ due, running, oldestDueMs = 0 }: DefinitionStats): Named<"no-worker"> | Named<"queued"> {
  if (running.count === 0) return { reason: "no-worker", due, oldestDueMs };
  return { reason: "queued", due, running };
}
