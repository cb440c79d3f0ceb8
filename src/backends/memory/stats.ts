import type { DefinitionStats } from "../../ports/operation-store.js";
import { toBoundedCount } from "../rows/bounded-count.js";
import { type Entry, hasLiveLease } from "../state-machine/entry.js";

/** Counts the unfinished entries of a definition: due, running or scheduled. */
export function statsOf(
  definition: string,
  unfinished: Iterable<Entry>,
  failed: number,
  now: number,
): DefinitionStats {
  let [due, running, scheduled] = [0, 0, 0];
  let oldestDueAt = Number.POSITIVE_INFINITY;
  for (const entry of unfinished) {
    if (entry.operation.state !== "pending") continue;
    const dueAt = entry.token === undefined ? entry.dueAt : entry.leaseEndsAt;
    if (dueAt <= now) {
      due += 1;
      oldestDueAt = Math.min(oldestDueAt, dueAt);
    } else if (hasLiveLease(entry, now)) running += 1;
    else scheduled += 1;
  }
  return {
    definition,
    due: toBoundedCount(due),
    running: toBoundedCount(running),
    scheduled: toBoundedCount(scheduled),
    failed: toBoundedCount(failed),
    ...(due === 0 ? {} : { oldestDueMs: now - oldestDueAt }),
  };
}
