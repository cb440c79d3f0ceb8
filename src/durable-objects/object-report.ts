import { present } from "../contract/options.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import type { ObjectReport } from "./directory/calls.js";

/** The store of an object. */
interface Reported {
  readonly operations: Pick<OperationStore, "stats" | "list">;
  /** Returns whether the store has nothing, not even tables. */
  readonly isEmpty: () => boolean;
  /** Names of its definitions. */
  readonly definitions: readonly string[];
  readonly clock: Clock;
}

/** Reads what an object tells the directory about its operations. */
export async function readContents({
  operations,
  isEmpty,
  definitions,
  clock,
}: Reported): Promise<Pick<ObjectReport, "newestAt" | "newestFailedAt" | "counts">> {
  if (isEmpty()) return { counts: [] };
  const [stats, [newest], [newestFailed]] = await Promise.all([
    operations.stats({ definitions }),
    operations.list({ internal: true, limit: 1 }),
    operations.list({ state: "failed", internal: true, limit: 1 }),
  ]);
  return {
    ...present({ newestAt: newest?.createdAt, newestFailedAt: newestFailed?.createdAt }),
    counts: stats.map(({ definition, due, running, scheduled, failed, oldestDueMs }) => ({
      definition,
      due: due.count,
      running: running.count,
      scheduled: scheduled.count,
      failed: failed.count,
      ...present({ dueSince: oldestDueMs === undefined ? undefined : clock.now() - oldestDueMs }),
    })),
  };
}
