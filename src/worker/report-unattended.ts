import { reportError, type WorkerContext } from "./context.js";

/** How often a worker looks. */
const INTERVAL_MS = 60_000;
/** A worker takes due work within seconds, unless it is busy with other work of the same definition. */
const WAITING_MS = 60_000;

/**
 * Creates a function that reports definitions whose operations no worker takes: some have been due for a minute, and no
 * attempt is running. It looks once a minute, changes nothing in the store, and reports a definition again only after its
 * operations were taken. Never rejects.
 *
 * @param definitions names of known definitions that this worker has no processor for
 */
export function createUnattendedReport(
  context: WorkerContext,
  definitions: readonly string[],
): () => Promise<void> {
  const { backend, runtime, observe } = context;
  const { clock } = runtime;
  const reported = new Set<string>();
  let nextAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    for (const stats of (await backend.operations.stats?.({ definitions })) ?? []) {
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
      reportError(context, "count-due", error);
    }
  };
}
