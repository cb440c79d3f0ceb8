import type { IdempotencyStore } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores a duration in 32 bits, which turns 100 years into a negative number. */
function in32Bits(ms: number): number {
  return ms | 0;
}

/** Operation stores that overflow at 100 years. */
export const shortDurationStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "stores the retention in 32 bits",
    caughtBy: ["retention.longest"],
    methods: (store) => ({
      create: (operation, initial) =>
        store.create({ ...operation, retentionMs: in32Bits(operation.retentionMs) }, initial),
    }),
  },
  {
    name: "stores the deadline in 32 bits",
    caughtBy: ["deadline.longest"],
    methods: (store) => ({
      create: ({ startWithinMs = 0, ...operation }, initial) =>
        store.create({ ...operation, startWithinMs: in32Bits(startWithinMs) }, initial),
    }),
  },
  {
    name: "stores the delay of a removal in 32 bits",
    caughtBy: ["remove.longest"],
    methods: (store) => ({ remove: (ids, { afterMs }) => store.remove(ids, { afterMs: in32Bits(afterMs) }) }),
  },
];

/** Idempotency stores that overflow at 100 years. */
export const shortDurationBindingStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "stores the age of bindings in 32 bits",
    caughtBy: ["stale.longest"],
    methods: (store) => ({
      takeStale: ({ olderThanMs, limit }) => store.takeStale({ olderThanMs: in32Bits(olderThanMs), limit }),
    }),
  },
];

/** Atomic submissions that overflow at 100 years. */
export const shortDurationSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "stores the retention in 32 bits",
    caughtBy: ["purge.longest"],
    methods: (submissions) => ({
      record: ({ operation, ...submission }) => {
        const retentionMs = in32Bits(operation.retentionMs);
        return submissions.record({ ...submission, operation: { ...operation, retentionMs } });
      },
    }),
  },
];
