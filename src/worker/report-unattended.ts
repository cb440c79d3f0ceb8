import type { Observer } from "../ports/observer.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";

/** How often a worker looks. */
const INTERVAL_MS = 60_000;
/** A worker takes due work within seconds, unless it is busy with other work of the same definition. */
const WAITING_MS = 60_000;

export interface UnattendedOptions {
  readonly operations: OperationStore;
  /** Names of known definitions that this worker has no processor for. */
  readonly definitions: readonly string[];
  readonly clock: Clock;
  readonly observe: Observer;
}

/**
 * Creates a function that reports definitions whose operations no worker takes: some have been due for a minute, and no
 * attempt is running. It looks once a minute, changes nothing in the store, and reports a definition again only after its
 * operations were taken. Never rejects.
 */
export function createUnattendedReport(options: UnattendedOptions): () => Promise<void> {
  const { operations, definitions, clock, observe } = options;
  const reported = new Set<string>();
  let nextAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    for (const stats of (await operations.stats?.({ definitions })) ?? []) {
      const { definition, due, running, oldestDueMs = 0 } = stats;
      const isTaken = running.count > 0 || oldestDueMs < WAITING_MS;
      if (isTaken) reported.delete(definition);
      else if (!reported.has(definition)) {
        reported.add(definition);
        observe({ event: "definition.unattended", definition, due: due.count, oldestDueMs });
      }
    }
  }

  return async () => {
    if (definitions.length === 0 || clock.now() < nextAt) return;
    nextAt = clock.now() + INTERVAL_MS;
    try {
      await look();
    } catch (error) {
      observe({ event: "background.failed", step: "count-due", error });
    }
  };
}
