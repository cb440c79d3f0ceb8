import { operationError } from "../contract/problem.js";
import { atomicSubmissions, type Backend } from "../ports/backend.js";
import type { Claim } from "../ports/idempotency-store.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import type { Announcer } from "./announcer.js";

const BATCH = 500;
const MAX_BATCHES = 20;

export interface SweepOptions {
  readonly backend: Backend;
  /** The definitions whose operations it announces. */
  readonly definitions: readonly string[];
  readonly announcer: Announcer;
  readonly clock: Clock;
  /** How long operations of a definition are kept after their end. */
  readonly retentionOf: (definition: string) => number;
  readonly purgeGraceMs: number;
  readonly abandonAfterMs: number;
  readonly observe: Observer;
}

/**
 * Makes the sweep: announces what is due once more, ends submissions that were never finished, and purges. Every worker
 * runs it; the stores hand each row to one of them. Each part goes on when another fails.
 *
 * @returns a function that sweeps once and returns how many operations it announced
 */
export function createSweep(options: SweepOptions): () => Promise<number> {
  const { observe } = options;
  const attempted = async (step: string, part: () => Promise<number>): Promise<number> => {
    try {
      return await part();
    } catch (error) {
      observe({ event: "background.failed", step, error });
      return 0;
    }
  };
  return async () => {
    const announced = await attempted("announce-due", () => inBatches(() => announceDue(options)));
    await attempted("end-abandoned", () => inBatches(() => endAbandoned(options)));
    const count = await attempted("purge", () => inBatches(() => purge(options)));
    if (count > 0) observe({ event: "operation.purged", count });
    return announced;
  };
}

/** Repeats while batches are full, with an end, so that one sweep does not take for ever. */
async function inBatches(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await step();
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function announceDue({ backend, definitions, announcer }: SweepOptions): Promise<number> {
  const due = await backend.operations.takeDue({ definitions, limit: BATCH });
  for (const operation of due) void announcer.announce(operation);
  return due.length;
}

/**
 * A claim that has had no operation for days is ended, not released: whoever still holds it, however late, must find
 * its id taken. As a failed operation it is then purged like all others.
 */
async function endAbandoned(options: SweepOptions): Promise<number> {
  const { backend, abandonAfterMs, purgeGraceMs, clock } = options;
  // Where both are recorded in one step no claim can lack its operation. And where both are purged in one step, a claim
  // that was just purged would look as if it did: ending it would bring its operation back.
  if (atomicSubmissions(backend) !== undefined) return 0;
  const until = clock.now() + purgeGraceMs / 2;
  const stale = await backend.idempotency.takeStale({ olderThanMs: abandonAfterMs, limit: BATCH });
  for (const claim of stale) await endIfAbandoned(options, claim, until);
  return stale.length;
}

async function endIfAbandoned(
  { backend, clock, retentionOf, observe }: SweepOptions,
  claim: Claim,
  until: number,
): Promise<void> {
  const { operationId, tenant, definition, key } = claim;
  if ((await backend.operations.get(operationId, tenant)) !== undefined) return;
  const error = operationError("abandoned", "The submission was never finished, so no work was done.");
  const retentionMs = retentionOf(definition);
  const operation = { id: operationId, tenant, definition, key, input: "null", retentionMs };
  // Had this process stood still meanwhile, the operation could have come, ended and been purged.
  if (clock.now() >= until) return;
  const created = await backend.operations.create(operation, { state: "failed", error });
  if (created === "created") observe({ event: "operation.abandoned", operationId, definition });
}

/**
 * Releases the keys of operations whose retention has passed, and removes the operations a grace later: a submission
 * that read the claim just before must still find its operation, or it would create it again.
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
