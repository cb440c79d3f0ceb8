import { reportError, type WorkerContext } from "./context.js";

/** How often a worker counts the due operations of definitions that it does not run. */
const INTERVAL_MS = 60_000;
/** Workers take due work within seconds, unless they are busy with other work of the same definition. */
const WAITING_MS = 60_000;

/**
 * Creates a function that reports definitions without a worker: some operations have been due for a minute, no
 * attempt is running, and the definition is not paused. It reads the counts at most once a minute and changes nothing in
 * the store. It reports a definition again only after its operations were taken in between. Never rejects.
 *
 * @param definitions names of known definitions that this worker does not run
 * @param firstAfterMs time until the first look. Milliseconds. Default: none.
 */
export function createUnattendedReport(
  context: WorkerContext,
  definitions: readonly string[],
  firstAfterMs = 0,
): () => Promise<void> {
  const { backend, runtime, observe } = context;
  const { clock } = runtime;
  const reported = new Set<string>();
  let nextAt = clock.elapsed() + firstAfterMs;

  async function look(): Promise<void> {
    for (const stats of await backend.operations.stats({ definitions })) {
      const { definition, due, running, oldestDueMs = 0, paused } = stats;
      const isTaken = running.count > 0 || oldestDueMs < WAITING_MS;
      if (isTaken || paused !== undefined) reported.delete(definition);
      else if (!reported.has(definition)) {
        reported.add(definition);
        observe({ event: "definition.unattended", definition, due: due.count, oldestDueMs });
      }
    }
  }

  return async () => {
    if (definitions.length === 0 || clock.elapsed() < nextAt) return;
    nextAt = clock.elapsed() + INTERVAL_MS;
    try {
      await look();
    } catch (error) {
      reportError(context, "count-due", error);
    }
  };
}
