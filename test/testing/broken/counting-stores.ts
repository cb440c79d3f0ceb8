import type { BoundedCount, DefinitionStats } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

type Request = { readonly definitions: readonly string[] };

/** Builds a store that changes the counts by looking at its operations. */
function counting(
  change: (stats: DefinitionStats, store: TrackedStore, now: number) => Promise<DefinitionStats>,
): BrokenPort<TrackedStore>["methods"] {
  return (store, clock) => ({
    stats: async (request: Request) => {
      const stats = await store.stats(request);
      return Promise.all(stats.map((each) => change(each, store, clock.now())));
    },
  });
}

function plus({ count, more }: BoundedCount, added: number): BoundedCount {
  return { count: count + added, more };
}

/** Stores that break a rule of counting. */
export const countingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "counts running operations as due",
    caughtBy: ["stats.counts", "stats.moves"],
    methods: counting(async (stats) => ({ ...stats, due: plus(stats.due, stats.running.count) })),
  },
  {
    name: "does not count hidden operations",
    caughtBy: ["stats.counts"],
    methods: counting(async (stats, store) => {
      const hidden = (await store.all()).filter((operation) => operation.hidden === true).length;
      return { ...stats, due: plus(stats.due, -hidden) };
    }),
  },
  {
    name: "has no entry for definitions without operations",
    caughtBy: ["stats.definitions"],
    methods: (store) => ({
      stats: async (request) => {
        const known = new Set((await store.all()).map(({ definition }) => definition));
        return (await store.stats(request)).filter(({ definition }) => known.has(definition));
      },
    }),
  },
  {
    name: "counts preparing operations",
    caughtBy: ["stats.preparing"],
    methods: counting(async (stats, store) => {
      const preparing = (await store.all()).filter(({ state }) => state === "preparing").length;
      return { ...stats, running: plus(stats.running, preparing) };
    }),
  },
  {
    name: "never updates its counts",
    caughtBy: ["stats.moves"],
    methods: (store) => {
      let answer: Promise<readonly DefinitionStats[]> | undefined;
      return {
        stats: (request) => {
          answer ??= store.stats(request);
          return answer;
        },
      };
    },
  },
  {
    name: "reports the age of an operation instead of the time since it became due",
    caughtBy: ["stats.oldest"],
    methods: counting(async (stats, store, now) => {
      const unfinished = (await store.all()).filter(({ settledAt }) => settledAt === undefined);
      return { ...stats, oldestDueMs: now - Math.min(...unfinished.map(({ createdAt }) => createdAt)) };
    }),
  },
  {
    name: "counts failed operations that run again",
    caughtBy: ["stats.redriven"],
    methods: counting(async (stats, store) => {
      const redriven = (await store.all()).filter(({ retriedBy }) => retriedBy !== undefined).length;
      return { ...stats, failed: plus(stats.failed, redriven) };
    }),
  },
  {
    name: "counts without a limit",
    caughtBy: ["stats.bounded"],
    methods: counting(async (stats) => {
      const { count, more } = stats.due;
      return { ...stats, due: { count: more ? count + 1 : count, more: false } };
    }),
  },
  {
    name: "counts only pending operations that do not run",
    caughtBy: ["pending.counts", "pending.apart", "pending.most"],
    methods: (store) => ({
      countPending: async (requests) => {
        const waiting = (await store.all()).filter(
          ({ state, attempt }) => state === "pending" && attempt === 0,
        );
        return requests.map(
          ({ definition, tenant, most }) =>
            waiting
              .filter((each) => each.definition === definition && (tenant ?? each.tenant) === each.tenant)
              .slice(0, most).length,
        );
      },
    }),
  },
  {
    name: "counts the pending operations of all tenants for each",
    caughtBy: ["pending.apart"],
    methods: (store) => ({
      countPending: async (requests) =>
        await store.countPending(requests.map(({ tenant: _, ...request }) => request)),
    }),
  },
  {
    name: "counts pending operations beyond the highest number",
    caughtBy: ["pending.most"],
    methods: (store) => ({
      countPending: async (requests) =>
        await store.countPending(requests.map((request) => ({ ...request, most: 1_000 }))),
    }),
  },
];
