import type { Submissions } from "async-request-reply";
import { type BrokenPort, sharingAnswers } from "./prove.js";

/** Atomic steps that break a rule of purging. */
export const purgingSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "purges before the retention is over",
    caughtBy: ["purge.both"],
    methods: (submissions) => ({ purge: ({ limit }) => submissions.purge({ retentionMs: 0, limit }) }),
  },
  {
    name: "keeps the keys of what it purges",
    caughtBy: ["purge.both", "purge.limit", "purge.successor"],
    methods: ({ operations }) => ({
      purge: async (request) => {
        const expired = await operations.takeExpired(request);
        await operations.remove(
          expired.map(({ id }) => id),
          { afterMs: 0 },
        );
        await operations.takeExpired({ retentionMs: 1e12, limit: 1 });
        return expired.length;
      },
    }),
  },
  {
    name: "keeps the operations whose keys it frees",
    caughtBy: ["purge.both", "purge.limit"],
    methods: ({ operations, idempotency }) => ({
      purge: async (request) => {
        const expired = await operations.takeExpired(request);
        for (const { id: operationId, scope, definition, key = "" } of expired) {
          await idempotency.release({ scope, definition, key, operationId });
        }
        return expired.length;
      },
    }),
  },
  {
    name: "frees the keys of what has not ended",
    caughtBy: ["purge.terminal-only", "purge.successor"],
    methods: (submissions) => ({
      purge: async (request) => {
        const claims = await submissions.idempotency.takeStale({ olderThanMs: 0, limit: 1_000 });
        for (const claim of claims) await submissions.idempotency.release(claim);
        return submissions.purge(request);
      },
    }),
  },
  {
    name: "purges more than the limit",
    caughtBy: ["purge.limit"],
    methods: (submissions) => ({
      purge: ({ retentionMs }) => submissions.purge({ retentionMs, limit: 100 }),
    }),
  },
  {
    name: "counts what others have purged",
    caughtBy: ["purge.race"],
    methods: (submissions) => ({ purge: sharingAnswers((request) => submissions.purge(request)) }),
  },
  {
    name: "spends the limit on what was purged before",
    caughtBy: ["purge.makes-room"],
    methods: (submissions) => {
      let purged = 0;
      return {
        purge: async ({ retentionMs, limit }) => {
          const count = await submissions.purge({ retentionMs, limit: Math.max(0, limit - purged) });
          purged += count;
          return count;
        },
      };
    },
  },
];
