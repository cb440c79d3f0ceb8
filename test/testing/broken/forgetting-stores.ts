import type { ExpiredOperation } from "async-request-reply/ports";
import { creating } from "../changed-calls.js";
import { caughtBy, named, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of handing out expired operations. */
export const retainingStores = named<TrackedStore>({
  "hands out ended operations before their retention is over": caughtBy(["retention.from-the-end"], (store) =>
    creating(store, (operation) => ({ ...operation, retentionMs: 0 })),
  ),
  "keeps every operation as long as the first one": caughtBy(["retention.own"], (store) => {
    let first: number | undefined;
    return {
      create: (operation, initial) => {
        first ??= operation.retentionMs;
        return store.create({ ...operation, retentionMs: first }, initial);
      },
    };
  }),
  "hands out operations in order of creation, not of expiry": caughtBy(["retention.overdue"], (store) => ({
    takeExpired: async ({ limit }) => {
      const expired = await store.takeExpired({ limit: 100 });
      return [...expired].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
    },
  })),
  "counts the retention from the creation": caughtBy(["retention.from-the-end"], (store, clock) => ({
    takeExpired: async ({ limit }) =>
      (await store.all())
        .filter(
          ({ settledAt, createdAt, retentionMs }) => settledAt && createdAt + retentionMs <= clock.now(),
        )
        .slice(0, limit),
  })),
  "does not return the key": caughtBy(["retention.members"], (store) => ({
    takeExpired: async (request) =>
      (await store.takeExpired(request)).map(({ id, tenant, definition }) => ({ id, tenant, definition })),
  })),
  "keeps hidden operations forever": caughtBy(["retention.members"], (store) => ({
    takeExpired: async (request) =>
      (await store.takeExpired(request)).filter(({ id }) => store.created.get(id)?.hidden !== true),
  })),
  "hands out operations that have not ended": caughtBy(
    ["retention.terminal-only", "retention.again"],
    (store) => ({ takeExpired: () => store.all() }),
  ),
  "hands out the newest operations first": caughtBy(["retention.order"], (store) => ({
    takeExpired: async (request) => [...(await store.takeExpired(request))].reverse(),
  })),
  "hands out more expired operations than the limit": caughtBy(["retention.order"], (store) => ({
    takeExpired: (request) => store.takeExpired({ ...request, limit: 100 }),
  })),
  "hands one expired operation to several callers": caughtBy(["retention.race"], (store) => ({
    takeExpired: sharingAnswers((request) => store.takeExpired(request)),
  })),
  "hands out expired operations only once": caughtBy(["retention.again"], (store) => {
    const seen = new Set<string>();
    return {
      takeExpired: async (request) =>
        (await store.takeExpired(request)).filter(({ id }) => !seen.has(id) && seen.add(id)),
    };
  }),
});

/** Stores that break a rule of deletion. */
export const removingStores = named<TrackedStore>({
  "deletes without waiting": caughtBy(["remove.later", "remove.each-in-time"], (store) => ({
    remove: (ids) => store.remove(ids, { afterMs: 0 }),
  })),
  "deletes nothing": caughtBy(
    ["remove.later", "remove.at-once", "remove.repeated", "remove.settled"],
    () => ({ remove: async () => {} }),
  ),
  "deletes nothing before operations that were removed earlier": caughtBy(
    ["remove.each-in-time"],
    (store) => {
      let longest = 0;
      return {
        remove: (ids, { afterMs }) => {
          longest = Math.max(longest, afterMs);
          return store.remove(ids, { afterMs: longest });
        },
      };
    },
  ),
  "remembers a requested removal and applies it to the next operation with that id": caughtBy(
    ["remove.repeated"],
    (store) => {
      const removed = new Set<string>();
      return {
        remove: async (ids, options) => {
          for (const id of ids) removed.add(id);
          return store.remove(ids, options);
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          return operation?.settledAt === undefined && removed.has(id) ? undefined : operation;
        },
      };
    },
  ),
  "removes operations that have not ended": caughtBy(["remove.unfinished"], (store) => {
    const removed = new Set<string>();
    return {
      remove: async (ids) => {
        for (const id of ids) removed.add(id);
      },
      get: async (id, tenant) => (removed.has(id) ? undefined : store.get(id, tenant)),
    };
  }),
  "still returns results for deleted operations": caughtBy(["remove.settled"], (store) => ({
    settle: async (lease, settlement) => {
      const settled = await store.settle(lease, settlement);
      const held = store.tokens.get(lease.operationId) === lease.token;
      return held ? { outcome: "settled", state: "completed" } : settled;
    },
  })),
  "hands out removed operations again": caughtBy(["remove.not-again"], (store) => {
    const removed = new Set<string>();
    return {
      remove: async (ids, options) => {
        for (const id of ids) removed.add(id);
        return store.remove(ids, options);
      },
      takeExpired: async (request) => {
        const again: ExpiredOperation[] = (await store.all()).filter(({ id }) => removed.has(id));
        return [...(await store.takeExpired(request)), ...again];
      },
    };
  }),
  "counts deleted operations against the limit": caughtBy(["remove.makes-room"], (store) => {
    let removed = 0;
    return {
      remove: async (ids, options) => {
        removed += ids.length;
        return store.remove(ids, options);
      },
      takeExpired: ({ limit }) => store.takeExpired({ limit: Math.max(0, limit - removed) }),
    };
  }),
});
