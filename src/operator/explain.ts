import { type AttemptError, attemptErrorsIn } from "../contract/attempt-errors.js";
import type { OperationLimits } from "../contract/definition/limits.js";
import type { Operation } from "../contract/operation.js";
import { present } from "../contract/options.js";
import type { BoundedCount, DefinitionStats, InspectedOperation } from "../ports/operation-reads.js";
import type { OperatorContext } from "./context.js";
import { isOpen } from "./details.js";
import { lastServed } from "./last-served.js";

/**
 * Reason why a pending operation does not run or has not ended.
 *
 * - `cancelling`: its cancellation was requested, and its attempt has not ended.
 * - `attempt-open`: its latest attempt began and reported no end. `lost`: its lease has ended, so the worker is gone, and another
 *   attempt begins.
 * - `paused`: its definition is paused.
 * - `lane`: older operations of its lane come first.
 * - `retry`: its latest attempt failed, and the wait for the next one ends at `until`.
 * - `delayed`: its delay ends at `until`.
 * - `limit`: as many operations run as a limit of its definition allows: `limits.running`, or `limits.runningPerTenant` if
 *   `perTenant` is true. Then `running` counts those of its tenant.
 * - `no-worker`: it is due, and no operation of its definition runs, or no process serves the definition any more. `oldestDueMs`: how
 *   long the oldest has been due. Milliseconds. `servedAt`: start of the last minute in which a process served the definition, if that
 *   was 3 minutes to 7 days ago. Always absent if the back end keeps no minutes.
 * - `queued`: it waits for a free slot of a worker.
 *
 * If its store does not tell when it is due, `until` is absent, and the wait may be over.
 */
export type WaitingReason =
  | { readonly reason: "cancelling" }
  | { readonly reason: "delayed"; readonly until?: Date }
  | { readonly reason: "attempt-open"; readonly attempt: number; readonly lost: boolean }
  | { readonly reason: "paused"; readonly since: Date; readonly by?: string }
  | { readonly reason: "lane"; readonly ahead: BoundedCount }
  | { readonly reason: "retry"; readonly attempt: number; readonly failedAt: Date; readonly until?: Date }
  | {
      readonly reason: "limit";
      readonly running: BoundedCount;
      readonly limit: number;
      readonly perTenant?: true;
    }
  | {
      readonly reason: "no-worker";
      readonly due: BoundedCount;
      readonly oldestDueMs: number;
      readonly servedAt?: Date;
    }
  | { readonly reason: "queued"; readonly due: BoundedCount; readonly running: BoundedCount };

/** Number of older operations of a tenant that are read to find those of a lane. */
const MAX_AHEAD = 1_000;
/** A process that serves a definition has said so for a minute that began at most this long ago. Milliseconds. */
const SERVED_MS = 180_000;

/** Explains why an operation does not run: see `Operator.explain`. */
export async function explain(
  context: OperatorContext,
  operationId: string,
): Promise<readonly WaitingReason[] | undefined> {
  const { store, definitions } = context;
  const places = definitions.some(({ limits }) => limits?.runningPerTenant !== undefined);
  const inspected = await store.inspect(operationId, places);
  if (inspected === undefined) return undefined;
  const { operation } = inspected;
  if (operation.state !== "pending") return [];
  const [stats] = await store.stats({ definitions: [operation.definition] });
  if (stats === undefined) return [];
  const [latest] = attemptErrorsIn(operation.lastError);
  const open = openAttempt(inspected, latest, stats);
  if (open !== undefined && !open.lost)
    return operation.cancelRequested === true ? [{ reason: "cancelling" }, open] : [open];
  const wait = waitOf(inspected, latest, stats);
  const known = [
    pauseIn(stats),
    await laneOf(context, operation),
    wait,
    ...(wait?.until === undefined ? limitsIn(inspected, stats, limitsOf(context, operation)) : []),
  ].filter((reason) => reason !== undefined);
  const reasons = known.length === 0 ? [await queueOf(context, stats)] : known;
  return open === undefined ? reasons : [open, ...reasons];
}

type Named<Reason extends WaitingReason["reason"]> = Extract<WaitingReason, { readonly reason: Reason }>;

/** The number of the latest attempt counts it from its beginning, and the latest error is that of its end. */
function openAttempt(
  inspected: InspectedOperation,
  latest: AttemptError | undefined,
  { running }: DefinitionStats,
): Named<"attempt-open"> | undefined {
  const { operation, token, isDue } = inspected;
  const { attempt } = operation;
  const next = (latest?.attempt ?? 0) + 1;
  if (attempt < next && !isOpen(inspected, next)) return undefined;
  const isOver = isDue === undefined ? running.count === 0 : token === undefined || isDue;
  return { reason: "attempt-open", attempt, lost: isOver };
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

/** Returns what the operation waits for before it is due. If its store does not tell when that is, it may be due. */
function waitOf(
  { operation: { attempt }, token, dueAt, isDue }: InspectedOperation,
  latest: AttemptError | undefined,
  { due }: DefinitionStats,
): Named<"retry"> | Named<"delayed"> | undefined {
  if (token !== undefined || isDue === true) return undefined;
  const until = dueAt === undefined ? undefined : new Date(dueAt);
  if (latest !== undefined && latest.attempt >= attempt)
    return {
      ...{ reason: "retry", attempt: latest.attempt, failedAt: new Date(latest.at) },
      ...present({ until }),
    };
  const isDelayed = dueAt !== undefined || (attempt === 0 && due.count === 0);
  return isDelayed ? { reason: "delayed", ...present({ until }) } : undefined;
}

function limitsOf({ definitions }: OperatorContext, operation: Operation): OperationLimits {
  return definitions.find(({ name }) => name === operation.definition)?.limits ?? {};
}

function limitsIn(
  { runningOfTenant: count = 0 }: InspectedOperation,
  { running }: DefinitionStats,
  { running: limit, runningPerTenant }: OperationLimits,
): readonly Named<"limit">[] {
  const limits: Named<"limit">[] = [];
  if (limit !== undefined && running.count >= limit) limits.push({ reason: "limit", running, limit });
  if (runningPerTenant !== undefined && count >= runningPerTenant)
    limits.push({
      ...{ reason: "limit", limit: runningPerTenant, perTenant: true },
      running: { count, more: false },
    });
  return limits;
}

async function queueOf(
  context: OperatorContext,
  { definition, due, running, oldestDueMs = 0 }: DefinitionStats,
): Promise<Named<"no-worker"> | Named<"queued">> {
  const served = await lastServed(context, definition);
  const isLeft = served !== undefined && context.runtime.clock.now() - served > SERVED_MS;
  if (isLeft) return { reason: "no-worker", due, oldestDueMs, servedAt: new Date(served) };
  return running.count > 0 ? { reason: "queued", due, running } : { reason: "no-worker", due, oldestDueMs };
}
