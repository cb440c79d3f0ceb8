import { allOperations } from "../../support/all-operations.js";
import { caughtBy, named, sharingAnswers } from "./prove.js";
import { type Recorder, recording, withLooseKeys } from "./recorder.js";

/** Atomic submissions that break a rule of purging. */
export const purgingSubmissions = named<Recorder>({
  "purges before the retention is over": caughtBy(["purge.both"], (submissions) =>
    recording(submissions, (operation) => ({ ...operation, retentionMs: 0 })),
  ),
  "keeps every operation as long as the one with the longest retention": caughtBy(
    ["purge.own-retention"],
    (submissions) => {
      let longest = 0;
      return recording(submissions, (operation) => {
        longest = Math.max(longest, operation.retentionMs);
        return { ...operation, retentionMs: longest };
      });
    },
  ),
  "frees the keys of redriven operations": caughtBy(
    ["purge.redriven"],
    withLooseKeys((submissions) => ({
      purge: async (request) => {
        const { operations, idempotency } = submissions;
        for (const { id: operationId, tenant, definition, key, retriedBy } of await allOperations(operations))
          if (retriedBy !== undefined && key !== undefined)
            await idempotency.release({ tenant, definition, key, operationId });
        return submissions.purge(request);
      },
    })),
  ),
  "keeps the keys of purged operations": caughtBy(
    ["purge.both", "purge.limit", "purge.successor"],
    ({ operations }) => ({
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
  ),
  "keeps the operations whose keys it frees": caughtBy(
    ["purge.both", "purge.limit"],
    withLooseKeys(({ operations, idempotency }) => ({
      purge: async (request) => {
        const expired = await operations.takeExpired(request);
        for (const { id: operationId, tenant, definition, key = "" } of expired) {
          await idempotency.release({ tenant, definition, key, operationId });
        }
        return expired.length;
      },
    })),
  ),
  "frees the keys of unfinished operations": caughtBy(
    ["purge.terminal-only", "purge.successor"],
    withLooseKeys((submissions) => ({
      purge: async (request) => {
        const bindings = await submissions.idempotency.takeStale({ olderThanMs: 0, limit: 1_000 });
        for (const binding of bindings) await submissions.idempotency.release(binding);
        return submissions.purge(request);
      },
    })),
  ),
  "purges more than the limit": caughtBy(["purge.limit"], (submissions) => ({
    purge: () => submissions.purge({ limit: 100 }),
  })),
  "counts operations that others have purged": caughtBy(["purge.race"], (submissions) => ({
    purge: sharingAnswers((request) => submissions.purge(request)),
  })),
  "counts operations that were purged before against the limit": caughtBy(
    ["purge.makes-room"],
    (submissions) => {
      let purged = 0;
      return {
        purge: async ({ limit }) => {
          const count = await submissions.purge({ limit: Math.max(0, limit - purged) });
          purged += count;
          return count;
        },
      };
    },
  ),
});
