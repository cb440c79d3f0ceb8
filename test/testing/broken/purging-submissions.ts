import { allOperations } from "../../support/all-operations.js";
import { type BrokenPort, sharingAnswers } from "./prove.js";
import { type Recorder, withLooseKeys } from "./recorder.js";

/** Atomic submissions that break a rule of purging. */
export const purgingSubmissions: readonly BrokenPort<Recorder>[] = [
  {
    name: "purges before the retention is over",
    caughtBy: ["purge.both"],
    methods: (submissions) => ({
      record: ({ operation, ...submission }) =>
        submissions.record({ ...submission, operation: { ...operation, retentionMs: 0 } }),
    }),
  },
  {
    name: "keeps every operation as long as the one with the longest retention",
    caughtBy: ["purge.own-retention"],
    methods: (submissions) => {
      let longest = 0;
      return {
        record: ({ operation, ...submission }) => {
          longest = Math.max(longest, operation.retentionMs);
          const changed = { ...operation, retentionMs: longest };
          return submissions.record({ ...submission, operation: changed });
        },
      };
    },
  },
  {
    name: "frees the keys of redriven operations",
    caughtBy: ["purge.redriven"],
    methods: withLooseKeys((submissions) => ({
      purge: async (request) => {
        const { operations, idempotency } = submissions;
        for (const { id: operationId, tenant, definition, key, retriedBy } of await allOperations(operations))
          if (retriedBy !== undefined && key !== undefined)
            await idempotency.release({ tenant, definition, key, operationId });
        return submissions.purge(request);
      },
    })),
  },
  {
    name: "keeps the keys of purged operations",
    caughtBy: ["purge.both", "purge.limit", "purge.successor"],
    methods: ({ operations }) => ({
      purge: async (request) => {
        const expired = await operations.takeExpired(request);
        await operations.remove(
          expired.map(({ id }) => id),
          { afterMs: 0 },
        );
        await operations.takeExpired({ limit: 1 });
        return expired.length;
      },
    }),
  },
  {
    name: "keeps the operations whose keys it frees",
    caughtBy: ["purge.both", "purge.limit"],
    methods: withLooseKeys(({ operations, idempotency }) => ({
      purge: async (request) => {
        const expired = await operations.takeExpired(request);
        for (const { id: operationId, tenant, definition, key = "" } of expired) {
          await idempotency.release({ tenant, definition, key, operationId });
        }
        return expired.length;
      },
    })),
  },
  {
    name: "frees the keys of unfinished operations",
    caughtBy: ["purge.terminal-only", "purge.successor"],
    methods: withLooseKeys((submissions) => ({
      purge: async (request) => {
        const bindings = await submissions.idempotency.takeStale({ olderThanMs: 0, limit: 1_000 });
        for (const binding of bindings) await submissions.idempotency.release(binding);
        return submissions.purge(request);
      },
    })),
  },
  {
    name: "purges more than the limit",
    caughtBy: ["purge.limit"],
    methods: (submissions) => ({
      purge: () => submissions.purge({ limit: 100 }),
    }),
  },
  {
    name: "counts operations that others have purged",
    caughtBy: ["purge.race"],
    methods: (submissions) => ({ purge: sharingAnswers((request) => submissions.purge(request)) }),
  },
  {
    name: "counts operations that were purged before against the limit",
    caughtBy: ["purge.makes-room"],
    methods: (submissions) => {
      let purged = 0;
      return {
        purge: async ({ limit }) => {
          const count = await submissions.purge({ limit: Math.max(0, limit - purged) });
          purged += count;
          return count;
        },
      };
    },
  },
];
