import type { BoundedCount, DefinitionStats } from "async-request-reply/ports";
import { type BrokenPort, caughtBy, named } from "./prove.js";
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
export const countingStores = named<TrackedStore>({
  "counts running operations as due": caughtBy(
    ["stats.counts", "stats.moves"],
    counting(async (stats) => ({ ...stats, due: plus(stats.due, stats.running.count) })),
  ),
  "does not count hidden operations": caughtBy(
    ["stats.counts"],
    counting(async (stats, store) => {
      const hidden = (await store.all()).filter((operation) => operation.hidden === true).length;
      return { ...stats, due: plus(stats.due, -hidden) };
    }),
  ),
  "has no entry for definitions without operations": caughtBy(["stats.definitions"], (store) => ({
    stats: async (request) => {
      const known = new Set((await store.all()).map(({ definition }) => definition));
      return (await store.stats(request)).filter(({ definition }) => known.has(definition));
    },
  })),
  "counts preparing operations": caughtBy(
    ["stats.preparing"],
    counting(async (stats, store) => {
      const preparing = (await store.all()).filter(({ state }) => state === "preparing").length;
      return { ...stats, running: plus(stats.running, preparing) };
    }),
  ),
  "never updates its counts": caughtBy(["stats.moves"], (store) => {
    let answer: Promise<readonly DefinitionStats[]> | undefined;
    return {
      stats: (request) => {
        answer ??= store.stats(request);
        return answer;
      },
    };
  }),
  "reports the age of an operation instead of the time since it became due": caughtBy(
    ["stats.oldest"],
    counting(async (stats, store, now) => {
      const unfinished = (await store.all()).filter(({ settledAt }) => settledAt === undefined);
      return { ...stats, oldestDueMs: now - Math.min(...unfinished.map(({ createdAt }) => createdAt)) };
    }),
  ),
  "counts failed operations that run again": caughtBy(
    ["stats.redriven"],
    counting(async (stats, store) => {
      const redriven = (await store.all()).filter(({ retriedBy }) => retriedBy !== undefined).length;
      return { ...stats, failed: plus(stats.failed, redriven) };
    }),
  ),
  "counts without a limit": caughtBy(
    ["stats.bounded"],
    counting(async (stats) => {
      const { count, more } = stats.due;
      return { ...stats, due: { count: more ? count + 1 : count, more: false } };
    }),
  ),
  "counts only pending operations that do not run": caughtBy(
    ["pending.counts", "pending.apart", "pending.most"],
    (store) => ({
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
  ),
  "counts the pending operations of all tenants for each": caughtBy(["pending.apart"], (store) => ({
    countPending: async (requests) =>
      await store.countPending(requests.map(({ tenant: _, ...request }) => request)),
  })),
  "counts pending operations beyond the highest number": caughtBy(["pending.most"], (store) => ({
    countPending: async (requests) =>
      await store.countPending(requests.map((request) => ({ ...request, most: 1_000 }))),
  })),
});
