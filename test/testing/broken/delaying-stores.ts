import { creating } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Returns when each delayed operation becomes due. Other operations have no entry. */
async function dueTimes(store: TrackedStore): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const { id, createdAt } of await store.all()) {
    const delayMs = store.created.get(id)?.delayMs;
    if (delayMs !== undefined) times.set(id, createdAt + delayMs);
  }
  return times;
}

/** Stores that break a rule of delays. */
export const delayingStores = named<TrackedStore>({
  "ignores delays": caughtBy(["delay.due", "delay.prepared", "jump.delayed"], (store) =>
    creating(store, ({ delayMs: _, ...operation }) => operation),
  ),
  "waits a step longer than the delay": caughtBy(["delay.due", "delay.long"], (store) =>
    creating(store, ({ delayMs, ...operation }) =>
      delayMs === undefined ? operation : { ...operation, delayMs: delayMs + 1 },
    ),
  ),
  "waits a minute at most": caughtBy(["delay.long"], (store) =>
    creating(store, ({ delayMs, ...operation }) =>
      delayMs === undefined ? operation : { ...operation, delayMs: Math.min(delayMs, 60_000) },
    ),
  ),
  "cancels nothing before it is due": caughtBy(["delay.cancelled"], (store, clock) => ({
    requestCancel: async (id, tenant) => {
      const dueAt = (await dueTimes(store)).get(id) ?? 0;
      return dueAt > clock.now() ? "requested" : store.requestCancel(id, tenant);
    },
  })),
  "forgets the delay of preparing operations": caughtBy(["delay.prepared"], (store) =>
    creating(store, ({ delayMs, ...operation }, initial) =>
      initial === undefined && delayMs ? { ...operation, delayMs } : operation,
    ),
  ),
});
