import type { Claimed } from "async-request-reply/ports";
import type { ManualClock } from "async-request-reply/testing";
import { askingOf, claimingOne, NOTHING } from "../changed-claims.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Builds a store that refuses calls with limits if this many operations seem to run. */
function counting(
  countOf: (
    store: TrackedStore,
    clock: ManualClock,
    settled: ReadonlyMap<string, string>,
    id: string,
  ) => number,
): BrokenPort<TrackedStore>["methods"] {
  return (store, clock) => {
    /** Targets of the last settlements. */
    const settled = new Map<string, string>();
    return {
      claim: claimingOne(store, async (id, request) => {
        const { limits } = request.definitions[0] ?? {};
        const limit = limits?.running ?? limits?.runningPerTenant ?? Number.POSITIVE_INFINITY;
        if (countOf(store, clock, settled, id) >= limit) return FULL;
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

function runningIds({ tokens }: TrackedStore, settled: ReadonlyMap<string, string>): readonly string[] {
  return [...tokens.keys()].filter((id) => !settled.has(id));
}

function isLive({ leaseEndsAt }: TrackedStore, clock: ManualClock, id: string): boolean {
  return (leaseEndsAt.get(id) ?? 0) > clock.now();
}

const FULL: Claimed = { ...NOTHING, blocked: true };

/** Stores that break a rule of limits. */
export const limitStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "takes the limit of each tenant for that of all tenants",
    caughtBy: ["limits.claim", "limits.race"],
    methods: (store) => ({
      claim: askingOf(store, ({ limits }) => {
        const running = limits?.runningPerTenant;
        return running === undefined ? {} : { limits: { running } };
      }),
    }),
  },
  {
    name: "counts operations of every definition",
    caughtBy: ["limits.definition"],
    methods: counting(
      (store, clock, settled) => runningIds(store, settled).filter((id) => isLive(store, clock, id)).length,
    ),
  },
  {
    name: "counts attempts that were released",
    caughtBy: ["limits.freed", "limits.cancelled"],
    methods: counting(
      (store, clock, settled, id) =>
        [...store.tokens.keys()].filter(
          (each) => each !== id && isLive(store, clock, each) && (settled.get(each) ?? "retry") === "retry",
        ).length,
    ),
  },
  {
    name: "counts operations that have ended",
    caughtBy: ["limits.freed"],
    methods: counting(
      (store, clock, _, id) =>
        [...store.tokens.keys()].filter((each) => each !== id && isLive(store, clock, each)).length,
    ),
  },
  {
    name: "counts leases that have expired",
    caughtBy: ["limits.expired"],
    methods: counting(
      (store, _, settled, id) => runningIds(store, settled).filter((each) => each !== id).length,
    ),
  },
  {
    name: "counts the lost lease of the operation itself",
    caughtBy: ["limits.takeover"],
    methods: counting((store, _, settled) => runningIds(store, settled).length),
  },
  {
    name: "counts operations that are preparing",
    caughtBy: ["limits.preparing"],
    methods: counting((store) => store.tokens.size),
  },
  {
    name: "takes every expired lease away",
    caughtBy: ["limits.late"],
    methods: (store, clock) => ({
      renew: async (lease, change) =>
        isLive(store, clock, lease.operationId) ? store.renew(lease, change) : { outcome: "lost" },
    }),
  },
];

/** Stores that break a rule of lanes. */
export const laneStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "loses lanes",
    caughtBy: [
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
    methods: (store) => ({
      create: ({ lane: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "begins one operation at a time, although their lanes differ",
    caughtBy: ["lanes.apart"],
    methods: (store, clock) => ({
      claim: claimingOne(store, async (id, request) =>
        [...store.tokens.keys()].some((each) => each !== id && isLive(store, clock, each))
          ? FULL
          : store.claim(request),
      ),
    }),
  },
  {
    name: "looks whether a lane is free before it begins",
    caughtBy: ["lanes.race"],
    methods: (store) => {
      const lanes = new Map<string, string | undefined>();
      return {
        create: ({ lane, ...operation }, initial) => {
          lanes.set(operation.id, lane);
          return store.create(operation, initial);
        },
        claim: claimingOne(store, async (id, request) => {
          const taken = [...store.tokens.keys()].some(
            (each) => each !== id && lanes.get(each) === lanes.get(id),
          );
          await Promise.resolve();
          return taken ? FULL : store.claim(request);
        }),
      };
    },
  },
  {
    name: "waits for operations of the lane that are preparing",
    caughtBy: ["lanes.preparing"],
    methods: (store) => ({
      claim: claimingOne(store, async (id, request) => {
        const { lane } = store.created.get(id) ?? {};
        const waits = (await store.all()).some(
          (each) => each.id !== id && each.state === "preparing" && each.lane === lane,
        );
        return waits ? FULL : store.claim(request);
      }),
    }),
  },
];
