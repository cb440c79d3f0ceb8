import type { IdempotencyStore } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import { creating } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import { recording } from "./recorder.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores a duration in 32 bits, which turns 100 years into a negative number. */
function in32Bits(ms: number): number {
  return ms | 0;
}

/** Operation stores that overflow at 100 years. */
export const shortDurationStores = named<TrackedStore>({
  "stores the retention in 32 bits": caughtBy(["retention.longest"], (store) =>
    creating(store, (operation) => ({ ...operation, retentionMs: in32Bits(operation.retentionMs) })),
  ),
  "stores the deadline in 32 bits": caughtBy(["deadline.longest"], (store) =>
    creating(store, ({ startWithinMs = 0, ...operation }) => ({
      ...operation,
      startWithinMs: in32Bits(startWithinMs),
    })),
  ),
  "stores the delay of a removal in 32 bits": caughtBy(["remove.longest"], (store) => ({
    remove: (ids, { afterMs }) => store.remove(ids, { afterMs: in32Bits(afterMs) }),
  })),
});

/** Idempotency stores that overflow at 100 years. */
export const shortDurationBindingStores = named<IdempotencyStore>({
  "stores the age of bindings in 32 bits": caughtBy(["stale.longest"], (store) => ({
    takeStale: ({ olderThanMs, limit }) => store.takeStale({ olderThanMs: in32Bits(olderThanMs), limit }),
  })),
});

/** Atomic submissions that overflow at 100 years. */
export const shortDurationSubmissions = named<Submissions<unknown>>({
  "stores the retention in 32 bits": caughtBy(["purge.longest"], (submissions) =>
    recording(submissions, (operation) => ({ ...operation, retentionMs: in32Bits(operation.retentionMs) })),
  ),
});
