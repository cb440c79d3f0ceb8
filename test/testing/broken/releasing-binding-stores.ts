import type { IdempotencyStore } from "async-request-reply";
import { type BrokenPort, sharingAnswers } from "./prove.js";

/** Stores that break a rule of releasing a key. */
export const releaseStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "releases nothing",
    caughtBy: ["release.owner", "release.repeated", "release.race", "stale.released"],
    methods: () => ({ release: async () => {} }),
  },
  {
    name: "releases keys for any caller",
    caughtBy: ["release.stranger", "release.repeated"],
    methods: (store) => ({
      release: async (owner) => {
        const held = await store.bind({ ...owner, fingerprint: "" });
        const operationId = held.outcome === "exists" ? held.operationId : owner.operationId;
        await store.release({ ...owner, operationId });
      },
    }),
  },
  {
    name: "releases every key of the operation",
    caughtBy: ["release.apart"],
    methods: (store) => ({
      release: async ({ operationId }) => {
        const bindings = await store.takeStale({ olderThanMs: 0, limit: 1_000 });
        const own = bindings.filter((binding) => binding.operationId === operationId);
        for (const binding of own) await store.release(binding);
      },
    }),
  },
];

/** Stores that break a rule of handing out stale bindings. */
export const staleStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "hands out bindings of any age",
    caughtBy: ["stale.age", "stale.again", "stale.released"],
    methods: (store) => ({ takeStale: ({ limit }) => store.takeStale({ olderThanMs: 0, limit }) }),
  },
  {
    name: "hands out stale bindings without their fingerprints",
    caughtBy: ["stale.age"],
    methods: (store) => ({
      takeStale: async (request) =>
        (await store.takeStale(request)).map((binding) => ({ ...binding, fingerprint: "" })),
    }),
  },
  {
    name: "counts the age from the latest binding of a key",
    caughtBy: ["stale.not-renewed"],
    methods: (store, clock) => {
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
    },
  },
  {
    name: "hands out a stale binding only once",
    caughtBy: ["stale.again"],
    methods: (store) => {
      const seen = new Set<string>();
      return {
        takeStale: async (request) =>
          (await store.takeStale(request)).filter(({ key }) => !seen.has(key) && seen.add(key)),
      };
    },
  },
  {
    name: "frees stale bindings when it hands them out",
    caughtBy: ["stale.again"],
    methods: (store) => ({
      takeStale: async (request) => {
        const stale = await store.takeStale(request);
        for (const binding of stale) await store.release(binding);
        return stale;
      },
    }),
  },
  {
    name: "hands out the newest bindings first",
    caughtBy: ["stale.order"],
    methods: (store) => ({ takeStale: async (request) => [...(await store.takeStale(request))].reverse() }),
  },
  {
    name: "hands out more stale bindings than the limit",
    caughtBy: ["stale.order"],
    methods: (store) => ({ takeStale: (request) => store.takeStale({ ...request, limit: 1_000 }) }),
  },
  {
    name: "hands one stale binding to several callers",
    caughtBy: ["stale.race"],
    methods: (store) => ({ takeStale: sharingAnswers((request) => store.takeStale(request)) }),
  },
];
