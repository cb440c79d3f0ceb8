import type { IdempotencyStore } from "async-request-reply";
import { caughtBy, named, sharingAnswers } from "./prove.js";

/** Stores that break a rule of releasing a key. */
export const releaseStores = named<IdempotencyStore>({
  "releases nothing": caughtBy(
    ["release.owner", "release.repeated", "release.race", "stale.released"],
    () => ({ release: async () => {} }),
  ),
  "releases keys for any caller": caughtBy(["release.stranger", "release.repeated"], (store) => ({
    release: async (owner) => {
      const held = await store.bind({ ...owner, fingerprint: "" });
      const operationId = held.outcome === "exists" ? held.operationId : owner.operationId;
      await store.release({ ...owner, operationId });
    },
  })),
  "releases every key of the operation": caughtBy(["release.apart"], (store) => ({
    release: async ({ operationId }) => {
      const bindings = await store.takeStale({ olderThanMs: 0, limit: 1_000 });
      const own = bindings.filter((binding) => binding.operationId === operationId);
      for (const binding of own) await store.release(binding);
    },
  })),
});

/** Stores that break a rule of handing out stale bindings. */
export const staleStores = named<IdempotencyStore>({
  "hands out bindings of any age": caughtBy(["stale.age", "stale.again", "stale.released"], (store) => ({
    takeStale: ({ limit }) => store.takeStale({ olderThanMs: 0, limit }),
  })),
  "hands out stale bindings without their fingerprints": caughtBy(["stale.age"], (store) => ({
    takeStale: async (request) =>
      (await store.takeStale(request)).map((binding) => ({ ...binding, fingerprint: "" })),
  })),
  "counts the age from the latest binding of a key": caughtBy(["stale.not-renewed"], (store, clock) => {
    const boundAt = new Map<string, number>();
    return {
      bind: async (binding) => {
        boundAt.set(binding.key, clock.now());
        return store.bind(binding);
      },
      takeStale: async ({ olderThanMs, limit }) =>
        (await store.takeStale({ olderThanMs, limit })).filter(
          ({ key }) => (boundAt.get(key) ?? 0) + olderThanMs <= clock.now(),
        ),
    };
  }),
  "hands out a stale binding only once": caughtBy(["stale.again"], (store) => {
    const seen = new Set<string>();
    return {
      takeStale: async (request) =>
        (await store.takeStale(request)).filter(({ key }) => !seen.has(key) && seen.add(key)),
    };
  }),
  "frees stale bindings when it hands them out": caughtBy(["stale.again"], (store) => ({
    takeStale: async (request) => {
      const stale = await store.takeStale(request);
      for (const binding of stale) await store.release(binding);
      return stale;
    },
  })),
  "hands out the newest bindings first": caughtBy(["stale.order"], (store) => ({
    takeStale: async (request) => [...(await store.takeStale(request))].reverse(),
  })),
  "hands out more stale bindings than the limit": caughtBy(["stale.order"], (store) => ({
    takeStale: (request) => store.takeStale({ ...request, limit: 1_000 }),
  })),
  "hands one stale binding to several callers": caughtBy(["stale.race"], (store) => ({
    takeStale: sharingAnswers((request) => store.takeStale(request)),
  })),
});
