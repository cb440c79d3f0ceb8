import type { BrokenPort } from "./prove.js";
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
export const delayingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "ignores delays",
    caughtBy: ["delay.due", "delay.prepared", "jump.delayed"],
    methods: (store) => ({
      create: ({ delayMs: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "waits a step longer than the delay",
    caughtBy: ["delay.due", "delay.long"],
    methods: (store) => ({
      create: ({ delayMs, ...operation }, initial) =>
        store.create(delayMs === undefined ? operation : { ...operation, delayMs: delayMs + 1 }, initial),
    }),
  },
  {
    name: "waits a minute at most",
    caughtBy: ["delay.long"],
    methods: (store) => ({
      create: ({ delayMs, ...operation }, initial) =>
        store.create(
          delayMs === undefined ? operation : { ...operation, delayMs: Math.min(delayMs, 60_000) },
          initial,
        ),
    }),
  },
  {
    name: "cancels nothing before it is due",
    caughtBy: ["delay.cancelled"],
    methods: (store, clock) => ({
      requestCancel: async (id, tenant) => {
        const dueAt = (await dueTimes(store)).get(id) ?? 0;
        return dueAt > clock.now() ? "requested" : store.requestCancel(id, tenant);
      },
    }),
  },
  {
    name: "forgets the delay of preparing operations",
    caughtBy: ["delay.prepared"],
    methods: (store) => ({
      create: ({ delayMs, ...operation }, initial) =>
        store.create(initial === undefined && delayMs ? { ...operation, delayMs } : operation, initial),
    }),
  },
];
