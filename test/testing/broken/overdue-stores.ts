import type { OperationStore } from "async-request-reply";
import type { Operation, OverdueOperation } from "async-request-reply/ports";
import { claimingOne, NOTHING } from "../changed-claims.js";
import { type BrokenPort, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Changes the members of operations with a deadline before they are created. */
function creating(
  change: (
    operation: Parameters<OperationStore["create"]>[0],
    initial: Parameters<OperationStore["create"]>[1],
  ) => Parameters<OperationStore["create"]>[0],
): BrokenPort<TrackedStore>["methods"] {
  return (store) => ({
    create: (operation, initial) =>
      store.create(operation.startWithinMs === undefined ? operation : change(operation, initial), initial),
  });
}

function about({ id, definition, tenant, createdAt }: Operation): OverdueOperation {
  return { id, definition, tenant, createdAt };
}

/** Stores that break a rule of deadlines. */
export const overdueStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "ignores deadlines",
    caughtBy: [
      "deadline.kept",
      "deadline.late",
      "deadline.swept",
      "deadline.limit",
      "deadline.race",
      "deadline.delayed",
      "deadline.prepared",
      "deadline.on-end",
      "deadline.ended",
      "deadline.paused",
      "deadline.full",
      "deadline.lane",
      "deadline.redrive",
      "deadline.watch",
      "deadline.longest",
      "deadline.unstarted",
    ],
    methods: creating(({ startWithinMs: _, ...operation }) => operation),
  },
  {
    name: "begins an operation after its deadline",
    caughtBy: ["deadline.late", "deadline.unstarted"],
    methods: (store, clock) => ({
      claim: claimingOne(store, async (id, request) => {
        const operation = await store.look(id);
        const { state, createdAt = 0, startWithinMs = Number.POSITIVE_INFINITY } = operation ?? {};
        const isLate = state === "pending" && createdAt + startWithinMs <= clock.now();
        return isLate && operation !== undefined
          ? { ...NOTHING, begun: [{ operation, previousLost: false }] }
          : store.claim(request);
      }),
    }),
  },
  {
    name: "ends nothing",
    caughtBy: [
      "deadline.late",
      "deadline.full",
      "deadline.race",
      "deadline.swept",
      "deadline.limit",
      "deadline.delayed",
      "deadline.prepared",
      "deadline.on-end",
      "deadline.ended",
      "deadline.paused",
      "deadline.lane",
      "deadline.redrive",
      "deadline.watch",
      "deadline.unstarted",
    ],
    methods: () => ({ endOverdue: async () => [] }),
  },
  {
    name: "does not say who submitted an operation that has expired",
    caughtBy: ["deadline.late", "deadline.swept"],
    methods: (store) => ({
      endOverdue: async (request) =>
        (await store.endOverdue(request)).map(({ principal: _, ...operation }) => operation),
    }),
  },
  {
    name: "says that an operation was accepted when it expired",
    caughtBy: [
      "deadline.late",
      "deadline.swept",
      "deadline.delayed",
      "deadline.prepared",
      "deadline.ended",
      "deadline.paused",
      "deadline.lane",
      "deadline.redrive",
    ],
    methods: (store, clock) => ({
      endOverdue: async (request) =>
        (await store.endOverdue(request)).map((operation) => ({
          ...operation,
          createdAt: clock.now(),
        })),
    }),
  },
  {
    name: "ends every overdue operation in one call",
    caughtBy: ["deadline.limit"],
    methods: (store) => ({
      endOverdue: () => store.endOverdue({ limit: 1_000 }),
    }),
  },
  {
    name: "reports an overdue operation to several callers",
    caughtBy: ["deadline.swept", "deadline.race"],
    methods: (store) => ({
      endOverdue: sharingAnswers((request) => store.endOverdue(request)),
    }),
  },
  {
    name: "ends operations that have begun",
    caughtBy: ["deadline.begun"],
    methods: (store, clock) => ({
      endOverdue: async (request) => {
        const late = (await store.all()).filter(
          ({ id, state, createdAt, startWithinMs = Number.POSITIVE_INFINITY }) =>
            state === "pending" && store.tokens.has(id) && createdAt + startWithinMs <= clock.now(),
        );
        for (const { id, tenant } of late) {
          await store.seize(id);
          await store.requestCancel(id, tenant);
        }
        return [...(await store.endOverdue(request)), ...late.map(about)];
      },
    }),
  },
  {
    name: "forgets the deadline of an operation with its first attempt",
    caughtBy: ["deadline.unstarted"],
    methods: (store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, started: true } : settlement),
    }),
  },
  {
    name: "keeps the deadline of an operation that has started and was given back",
    caughtBy: ["deadline.begun"],
    methods: (store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, started: false } : settlement),
    }),
  },
  {
    name: "counts the time from the acceptance of a delayed operation",
    caughtBy: ["deadline.delayed"],
    methods: creating((operation) => {
      const { delayMs = 0, startWithinMs = 0 } = operation;
      return { ...operation, startWithinMs: Math.max(1, startWithinMs - delayMs) };
    }),
  },
  {
    name: "counts the time of an operation while it is preparing",
    caughtBy: ["deadline.prepared"],
    methods: (store, clock) => ({
      endOverdue: async (request) => {
        const late = (await store.all()).filter(
          ({ state, createdAt, startWithinMs = Number.POSITIVE_INFINITY }) =>
            state === "preparing" && createdAt + startWithinMs <= clock.now(),
        );
        return [...(await store.endOverdue(request)), ...late.map(about)];
      },
    }),
  },
  {
    name: "forgets the deadline of an operation that was preparing",
    caughtBy: ["deadline.prepared"],
    methods: creating(({ startWithinMs, ...operation }, initial) =>
      initial === undefined && startWithinMs !== undefined ? { ...operation, startWithinMs } : operation,
    ),
  },
  {
    name: "creates no follow-up of an operation that expires",
    caughtBy: ["deadline.on-end"],
    methods: creating(({ onEnd: _, ...operation }) => operation),
  },
  {
    name: "cancels an operation that has expired",
    caughtBy: ["deadline.ended"],
    methods: (store) => ({
      requestCancel: async (id, tenant) => {
        const { error = "" } = (await store.get(id, tenant)) ?? {};
        return error.includes("expired") ? "cancelled" : store.requestCancel(id, tenant);
      },
    }),
  },
  {
    name: "spares operations of a paused definition",
    caughtBy: ["deadline.paused"],
    methods: (store) => {
      let paused = false;
      return {
        pause: async (definition, by) => {
          paused = true;
          await store.pause(definition, by);
        },
        endOverdue: async (request) => (paused ? [] : await store.endOverdue(request)),
      };
    },
  },
  {
    name: "does not find operations that wait for their turn in a lane",
    caughtBy: ["deadline.lane"],
    methods: (store) => ({
      endOverdue: async (request) => {
        const ended = await store.endOverdue(request);
        const first = ended.find(({ id }) => store.created.get(id)?.lane !== undefined);
        return ended.filter(({ id }) => id === first?.id || store.created.get(id)?.lane === undefined);
      },
    }),
  },
  {
    name: "gives the successor of an expired operation no deadline",
    caughtBy: ["deadline.redrive"],
    methods: (store) => ({
      redrive: async (retryOf, { id }) => {
        const { startWithinMs: _, ...failed } = store.created.get(retryOf) as Operation;
        await store.create({ ...failed, id, retryOf });
        return { outcome: "redriven", operationId: id, created: true };
      },
    }),
  },
];
