import type { IdempotencyStore } from "async-request-reply";
import type { Submission, Submissions } from "async-request-reply/ports";
import type { ManualClock } from "async-request-reply/testing";
import { NOTHING } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Items in order of arrival. Treats each item as younger than all that arrived before it. */
function lineOf(clock: ManualClock) {
  const line: { readonly id: string; readonly at: number }[] = [];
  return {
    join: (id: string): void => void line.push({ id, at: clock.now() }),
    /** Tells whether an item and all items before it have waited for `waitMs`. */
    isOver: (id: string, waitMs: number): boolean => {
      const place = line.findIndex((each) => each.id === id);
      return line.slice(0, place + 1).every(({ at }) => at + waitMs <= clock.now());
    },
  };
}

/** Operation stores that fail when the clock jumps. */
export const jumpyStores = named<TrackedStore>({
  "hands out no expired operation before operations that ended earlier": caughtBy(
    ["jump.expired"],
    (store, clock) => {
      const line = lineOf(clock);
      return {
        settle: async (lease, settlement) => {
          line.join(lease.operationId);
          return store.settle(lease, settlement);
        },
        takeExpired: async (request) =>
          (await store.takeExpired(request)).filter(({ id }) =>
            line.isOver(id, store.created.get(id)?.retentionMs ?? 0),
          ),
      };
    },
  ),
  "claims nothing until the clock is back where it was": caughtBy(["jump.delayed"], (store, clock) => {
    let latest = 0;
    return {
      claim: async (request) => {
        latest = Math.max(latest, clock.now());
        return store.claim(clock.now() < latest ? { ...request, limit: 0 } : request);
      },
    };
  }),
  "deletes nothing before operations that were removed earlier with the same delay": caughtBy(
    ["jump.removed"],
    (store, clock) => {
      const line = lineOf(clock);
      const waits = new Map<string, number>();
      return {
        remove: async (ids, { afterMs }) => {
          for (const id of ids) line.join(id);
          for (const id of ids) waits.set(id, afterMs);
        },
        get: async (id, tenant) => {
          const waitMs = waits.get(id);
          const forgotten = waitMs !== undefined && line.isOver(id, waitMs);
          return forgotten ? undefined : store.get(id, tenant);
        },
      };
    },
  ),
  "waits for leases in the order in which they were taken": caughtBy(["jump.due"], (store, clock) => ({
    claim: async (request) => {
      const over = [...store.leaseEndsAt].map(([id, endsAt]) => ({ id, over: endsAt <= clock.now() }));
      const first = over.findIndex((each) => !each.over);
      const blocked = new Set(first < 0 ? [] : over.slice(first).map(({ id }) => id));
      const claimed = await store.claim(request);
      return { ...claimed, begun: claimed.begun.filter(({ operation: { id } }) => !blocked.has(id)) };
    },
  })),
  "rejects a lease from a later time as forged": caughtBy(["jump.leases"], (store, clock) => {
    const begunAt = new Map<string, number>();
    return {
      claim: async (request) => {
        begunAt.set(request.token, clock.now());
        return store.claim(request);
      },
      settle: async (lease, settlement) =>
        (begunAt.get(lease.token) ?? 0) > clock.now() ? { outcome: "lost" } : store.settle(lease, settlement),
    };
  }),
  "starts nothing until the clock is back where it was": caughtBy(["jump.begun"], (store, clock) => {
    let latest = 0;
    return {
      claim: async (request) => {
        latest = Math.max(latest, clock.now());
        return clock.now() < latest ? NOTHING : store.claim(request);
      },
    };
  }),
});

/** Idempotency stores that fail when the clock jumps. */
export const jumpyBindingStores = named<IdempotencyStore>({
  "hands out no binding before earlier bindings": caughtBy(["jump.stale"], (store, clock) => {
    const line = lineOf(clock);
    return {
      bind: async (binding) => {
        line.join(binding.operationId);
        return store.bind(binding);
      },
      takeStale: async (request) =>
        (await store.takeStale(request)).filter(({ operationId }) =>
          line.isOver(operationId, request.olderThanMs),
        ),
    };
  }),
});

/** Atomic submissions that fail when the clock jumps. */
export const jumpySubmissions = named<Submissions<unknown>>({
  "purges nothing before operations that were recorded earlier": caughtBy(
    ["jump.purged"],
    (submissions, clock) => {
      const line = lineOf(clock);
      const recorded: Submission["operation"][] = [];
      return {
        record: async (submission) => {
          line.join(submission.operation.id);
          recorded.push(submission.operation);
          return submissions.record(submission);
        },
        purge: async ({ limit }) => {
          const over = recorded.filter(({ id, retentionMs }) => line.isOver(id, retentionMs)).length;
          return submissions.purge({ limit: Math.min(limit, over) });
        },
      };
    },
  ),
});
