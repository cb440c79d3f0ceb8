import type { IdempotencyStore, Submissions } from "async-request-reply";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** A duration in a column of 32 bits: 100 years become a negative number. */
function in32Bits(ms: number): number {
  return ms | 0;
}

/** Operation stores that cannot count 100 years. */
export const shortDurationStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "counts retention in 32 bits",
    caughtBy: ["retention.longest"],
    methods: (store) => ({
      create: (operation, initial) =>
        store.create({ ...operation, retentionMs: in32Bits(operation.retentionMs) }, initial),
    }),
  },
  {
    name: "counts the time until a removal in 32 bits",
    caughtBy: ["remove.longest"],
    methods: (store) => ({ remove: (ids, { afterMs }) => store.remove(ids, { afterMs: in32Bits(afterMs) }) }),
  },
];

/** Idempotency stores that cannot count 100 years. */
export const shortDurationClaimStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "counts the age of claims in 32 bits",
    caughtBy: ["stale.longest"],
    methods: (store) => ({
      takeStale: ({ olderThanMs, limit }) => store.takeStale({ olderThanMs: in32Bits(olderThanMs), limit }),
    }),
  },
];

/** Atomic steps that cannot count 100 years. */
export const shortDurationSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "counts the retention of what it purges in 32 bits",
    caughtBy: ["purge.longest"],
    methods: (submissions) => ({
      record: ({ operation, ...submission }) => {
        const retentionMs = in32Bits(operation.retentionMs);
        return submissions.record({ ...submission, operation: { ...operation, retentionMs } });
      },
    }),
  },
];
