import { type Entry, hasLiveLease } from "../../engine/entry.js";
import type { DefinitionStats } from "../../ports/operation-reads.js";
import { toBoundedCount } from "../shared/row.js";

/** Counts the entries of a definition: due, running, scheduled, or failed and not run again. */
export function statsOf(
  definition: string,
  unfinished: Iterable<Entry>,
  failed: Iterable<Entry>,
  now: number,
): DefinitionStats {
  let [due, running, scheduled, open] = [0, 0, 0, 0];
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
  for (const { operation } of failed) if (operation.retriedBy === undefined) open += 1;
  return {
    definition,
    due: toBoundedCount(due),
    running: toBoundedCount(running),
    scheduled: toBoundedCount(scheduled),
    failed: toBoundedCount(open),
    ...(due === 0 ? {} : { oldestDueMs: now - oldestDueAt }),
  };
}
