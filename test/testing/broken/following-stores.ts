import type { FollowUp, NewOperation, Operation } from "async-request-reply/ports";
import { reading } from "../changed-calls.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const WAYS = [
  "completed",
  "failed",
  "cancelled",
  "retry-cancelled",
  "begin-cancelled",
  "created-failed",
  "preparing-failed",
] as const;

type Way = (typeof WAYS)[number];

const RULES = WAYS.map((way) => `on-end.${way}`);

type Follow = (onEnd: FollowUp, tenant: string) => Promise<unknown>;

/** Builds a store that uses `follow` to create follow-ups one step after the end. */
function following(followBy: (store: TrackedStore, way: Way) => Follow): BrokenPort<TrackedStore>["methods"] {
  return (store) => {
    const onEnds = new Map<string, FollowUp>();
    const ended = async (id: string, way: Way): Promise<void> => {
      const onEnd = onEnds.get(id);
      onEnds.delete(id);
      if (onEnd !== undefined) await followBy(store, way)(onEnd, store.created.get(id)?.tenant ?? "");
    };
    return {
      create: async ({ onEnd, ...operation }, initial) => {
        const outcome = await store.create(operation, initial);
        if (onEnd !== undefined) onEnds.set(operation.id, onEnd);
        if (initial?.state === "failed") await ended(operation.id, "created-failed");
        return outcome;
      },
      settle: async (lease, settlement) => {
        const before = (await store.look(lease.operationId))?.state;
        const settled = await store.settle(lease, settlement);
        if (settled.outcome === "lost" || settled.state === "pending") return settled;
        if (settlement.to === "retry") await ended(lease.operationId, "retry-cancelled");
        else if (before === "preparing") await ended(lease.operationId, "preparing-failed");
        else if (settlement.to !== "prepared") await ended(lease.operationId, settlement.to);
        return settled;
      },
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome === "cancelled") await ended(id, "cancelled");
        return outcome;
      },
      claim: async (request) => {
        const claimed = await store.claim(request);
        for (const { id } of claimed.ended) await ended(id, "begin-cancelled");
        return claimed;
      },
    };
  };
}

/** Creates a correct follow-up. */
function create(store: TrackedStore, members: Partial<NewOperation> = {}): Follow {
  return (onEnd, tenant) => store.create({ ...onEnd, tenant, hidden: true, ...members });
}

/** Creates correct follow-ups for every way to end. Base of the broken stores. */
export const rightFollowingStore: BrokenPort<TrackedStore>["methods"] = following((store) => create(store));

/** Stores that break a rule of follow-ups. */
export const followingStores = [
  ...WAYS.map((missed) => ({
    name: `creates no follow-up if the way to end is ${missed}`,
    caughtBy: [`on-end.${missed}`],
    methods: following((store, way) => (way === missed ? async () => {} : create(store))),
  })),
  ...named<TrackedStore>({
    "shows follow-ups": caughtBy(
      RULES,
      following((store) => (onEnd, tenant) => store.create({ ...onEnd, tenant })),
    ),
    "gives keys to follow-ups": caughtBy(
      RULES,
      following((store) => create(store, { key: "NULL" })),
    ),
    "overwrites an existing operation with the id of a follow-up": caughtBy(RULES, (store, clock) => {
      const written = new Map<string, Partial<Operation>>();
      const follow = following((underneath) => async (onEnd, tenant) => {
        const outcome = await create(underneath)(onEnd, tenant);
        if (outcome === "exists") written.set(onEnd.id, { input: onEnd.input });
      });
      return {
        ...follow(store, clock),
        ...reading(store, (operation) => ({ ...operation, ...written.get(operation.id) })),
      };
    }),
    "creates the follow-up together with its operation": caughtBy(["on-end.not-before"], (store) => ({
      create: async (operation, initial) => {
        if (operation.onEnd !== undefined) await create(store)(operation.onEnd, operation.tenant);
        return store.create(operation, initial);
      },
    })),
    "lets a follow-up wait for a second": caughtBy(
      ["on-end.due"],
      following((store) => create(store, { delayMs: 1_000 })),
    ),
  }),
];
