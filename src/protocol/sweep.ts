import type { NewOperation } from "../contract/operation.js";
import { operationError } from "../contract/problem.js";
import { atomicSubmissions, type Backend } from "../ports/backend.js";
import type { KeyBinding } from "../ports/idempotency-store.js";
import type { Observer } from "../ports/observer.js";
import { expiredEvent } from "../ports/overdue.js";
import type { Clock } from "../ports/runtime.js";
import type { Bell } from "./bell.js";

const BATCH = 500;
const MAX_BATCHES = 20;

export interface SweepOptions {
  readonly backend: Backend;
  /** Names of the definitions that the worker runs. */
  readonly definitions: readonly string[];
  readonly bell: Pick<Bell, "ring">;
  readonly clock: Clock;
  /** Returns how long operations of a definition are kept after their end. */
  readonly retentionOf: (
    definition: string,
  ) => Required<Pick<NewOperation, "retentionMs" | "failedRetentionMs">>;
  /** Time between the release of a key and the removal of its operation. Milliseconds. */
  readonly purgeGraceMs: number;
  /** Age at which a binding without an operation counts as abandoned. Milliseconds. */
  readonly abandonAfterMs: number;
  readonly observe: Observer;
}

/** The two parts of a sweep. They never reject. */
export interface Sweep {
  /** Ends overdue operations. */
  endOverdue(): Promise<void>;
  /** Ends abandoned submissions, and deletes operations whose retention is over. */
  clean(): Promise<void>;
}

/**
 * Creates the sweep. Every worker runs it, and the stores give each row to only one of them. Each step runs even if another one
 * fails.
 */
export function createSweep(options: SweepOptions): Sweep {
  const { observe } = options;
  const attempted = async (step: string, part: () => Promise<number>): Promise<number | undefined> => {
    try {
      return await inBatches(part);
    } catch (error) {
      observe({ event: "background.failed", step, error });
      return undefined;
    }
  };
  return {
    endOverdue: async () => void (await attempted("end-overdue", () => endOverdue(options))),
    clean: async () => {
      await attempted("end-abandoned", () => endAbandoned(options));
      const count = await attempted("purge", () => purge(options));
      if (count) observe({ event: "operation.purged", count });
    },
  };
}

/** Repeats a step while its batches are full. Stops after {@link MAX_BATCHES}, so a sweep always ends. */
async function inBatches(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await step();
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function endOverdue({ backend, definitions, bell, observe }: SweepOptions): Promise<number> {
  const ended = await backend.operations.endOverdue({ limit: BATCH });
  for (const operation of ended) observe(expiredEvent(operation));
  // They may have held up their lanes, and their ends may have follow-ups of any definition.
  if (ended.length > 0)
    for (const definition of new Set([...definitions, ...ended.map((each) => each.definition)]))
      void bell.ring({ definition });
  return ended.length;
}

/**
 * Ends bindings that have had no operation for days, by creating a failed operation with the id of the binding. Releasing
 * it would be unsafe, because its process might still create the operation. The sweep later deletes the failed
 * operation like any other.
 */
async function endAbandoned(options: SweepOptions): Promise<number> {
  const { backend, abandonAfterMs, purgeGraceMs, clock } = options;
  // With atomic submissions, no binding lacks its operation. A binding that was just purged could look like one, and
  // ending it would bring its operation back.
  if (atomicSubmissions(backend) !== undefined) return 0;
  const until = clock.now() + purgeGraceMs / 2;
  const stale = await backend.idempotency.takeStale({ olderThanMs: abandonAfterMs, limit: BATCH });
  for (const binding of stale) await endIfAbandoned(options, binding, until);
  return stale.length;
}

async function endIfAbandoned(
  { backend, clock, retentionOf, observe }: SweepOptions,
  binding: KeyBinding,
  until: number,
): Promise<void> {
  const { operationId, tenant, definition, key } = binding;
  if ((await backend.operations.get(operationId, tenant)) !== undefined) return;
  const error = operationError(
    "abandoned",
    "The submission was never completed, so no work was done. Submit again with a new key.",
  );
  const { retentionMs, failedRetentionMs } = retentionOf(definition);
  const work = { tenant, definition, key, input: "null", retentionMs, failedRetentionMs };
  const operation = { id: operationId, ...work };
  // If this process was paused until now, the operation may have been created, ended and purged meanwhile.
  if (clock.now() >= until) return;
  const created = await backend.operations.create(operation, { state: "failed", error });
  if (created === "created") observe({ event: "operation.abandoned", operationId, definition, tenant });
}

/**
 * Releases the keys of expired operations, and deletes the operations after the grace period. A submission that has
 * just read the binding must still find its operation, or it would create the operation again.
 */
async function purge({ backend, purgeGraceMs }: SweepOptions): Promise<number> {
  const submissions = atomicSubmissions(backend);
  if (submissions !== undefined) return submissions.purge({ limit: BATCH });
  const { operations, idempotency } = backend;
  const expired = await operations.takeExpired({ limit: BATCH });
  for (const { id, tenant, definition, key } of expired) {
    if (key !== undefined) await idempotency.release({ tenant, definition, key, operationId: id });
  }
  if (expired.length > 0)
    await operations.remove(
      expired.map(({ id }) => id),
      { afterMs: purgeGraceMs },
    );
  return expired.length;
}
