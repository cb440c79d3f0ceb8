import type { Claimed } from "async-request-reply/ports";
import type { ManualClock } from "async-request-reply/testing";
import { askingOf, claimingOne, creating, NOTHING } from "../changed-calls.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** An operation of which an attempt has begun. */
interface Place {
  /** Whether the claim is for this operation. */
  readonly isOwn: boolean;
  /** Whether its lease has not ended. */
  readonly isLive: boolean;
  /** Target of the last settlement, if no attempt has begun since then. */
  readonly settledTo: string | undefined;
}

/** Builds a store that refuses claims with limits if so many operations seem to hold a place. */
function counting(isTaken: (place: Place) => boolean): BrokenPort<TrackedStore>["methods"] {
  return (store, clock) => {
    const settled = new Map<string, string>();
    return {
      ...claimingOne(store, async (id, request) => {
        const { limits } = request.definitions[0] ?? {};
        const limit = limits?.running ?? limits?.runningPerTenant ?? Number.POSITIVE_INFINITY;
        const places = [...store.tokens.keys()].map((each) => ({
          isOwn: each === id,
          isLive: isLive(store, clock, each),
          settledTo: settled.get(each),
        }));
        if (places.filter(isTaken).length >= limit) return FULL;
        const claimed = await store.claim(request);
        if (claimed.begun.length > 0) settled.delete(id);
        return claimed;
      }),
      settle: async (lease, settlement) => {
        const result = await store.settle(lease, settlement);
        if (result.outcome === "settled") settled.set(lease.operationId, settlement.to);
        return result;
      },
    };
  };
}

function isLive({ leaseEndsAt }: TrackedStore, clock: ManualClock, id: string): boolean {
  return (leaseEndsAt.get(id) ?? 0) > clock.now();
}

const FULL: Claimed = { ...NOTHING, blocked: true };

/** Stores that break a rule of limits. */
export const limitStores = named<TrackedStore>({
  "takes the limit of each tenant for that of all tenants": caughtBy(
    ["limits.claim", "limits.race"],
    (store) =>
      askingOf(store, ({ limits }) => {
        const running = limits?.runningPerTenant;
        return running === undefined ? {} : { limits: { running } };
      }),
  ),
  "counts operations of every definition": caughtBy(
    ["limits.definition"],
    counting(({ isLive, settledTo }) => isLive && settledTo === undefined),
  ),
  "counts attempts that were released": caughtBy(
    ["limits.freed", "limits.cancelled"],
    counting(({ isOwn, isLive, settledTo = "retry" }) => !isOwn && isLive && settledTo === "retry"),
  ),
  "counts operations that have ended": caughtBy(
    ["limits.freed"],
    counting(({ isOwn, isLive }) => !isOwn && isLive),
  ),
  "counts leases that have expired": caughtBy(
    ["limits.expired"],
    counting(({ isOwn, settledTo }) => !isOwn && settledTo === undefined),
  ),
  "counts the lost lease of the operation itself": caughtBy(
    ["limits.takeover"],
    counting(({ settledTo }) => settledTo === undefined),
  ),
  "counts operations that are preparing": caughtBy(
    ["limits.preparing"],
    counting(() => true),
  ),
  "takes every expired lease away": caughtBy(["limits.late"], (store, clock) => ({
    renew: async (lease, change) =>
      isLive(store, clock, lease.operationId) ? store.renew(lease, change) : { outcome: "lost" },
  })),
});

/** Stores that break a rule of lanes. */
export const laneStores = named<TrackedStore>({
  "loses lanes": caughtBy(
    [
      "lanes.stored",
      "lanes.order",
      "lanes.retry",
      "lanes.delayed",
      "lanes.freed",
      "lanes.expired",
      "lanes.redriven",
      "lanes.preparing",
      "lanes.claim",
      "lanes.claim-long",
      "lanes.claim-lost",
      "claim.blocked-lane",
    ],
    (store) => creating(store, ({ lane: _, ...operation }) => operation),
  ),
  "begins one operation at a time, although their lanes differ": caughtBy(["lanes.apart"], (store, clock) =>
    claimingOne(store, async (id, request) =>
      [...store.tokens.keys()].some((each) => each !== id && isLive(store, clock, each))
        ? FULL
        : store.claim(request),
    ),
  ),
  "looks whether a lane is free before it begins": caughtBy(["lanes.race"], (store) => {
    const lanes = new Map<string, string | undefined>();
    return {
      create: ({ lane, ...operation }, initial) => {
        lanes.set(operation.id, lane);
        return store.create(operation, initial);
      },
      ...claimingOne(store, async (id, request) => {
        const taken = [...store.tokens.keys()].some(
          (each) => each !== id && lanes.get(each) === lanes.get(id),
        );
        await Promise.resolve();
        return taken ? FULL : store.claim(request);
      }),
    };
  }),
  "waits for operations of the lane that are preparing": caughtBy(["lanes.preparing"], (store) =>
    claimingOne(store, async (id, request) => {
      const { lane } = store.created.get(id) ?? {};
      const waits = (await store.all()).some(
        (each) => each.id !== id && each.state === "preparing" && each.lane === lane,
      );
      return waits ? FULL : store.claim(request);
    }),
  ),
});
