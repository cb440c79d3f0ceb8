import type { Operation, OverdueOperation } from "async-request-reply/ports";
import { claimingOne, creating, NOTHING, retrying } from "../changed-calls.js";
import { caughtBy, named, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

function about({ id, definition, tenant, createdAt }: Operation): OverdueOperation {
  return { id, definition, tenant, createdAt };
}

/** Rules about reports of the ends of overdue operations. */
const OF_EVERY_END = [
  "deadline.late",
  "deadline.swept",
  "deadline.delayed",
  "deadline.prepared",
  "deadline.ended",
  "deadline.paused",
  "deadline.lane",
  "deadline.redrive",
];
const OF_ENDS = [
  ...OF_EVERY_END,
  "deadline.full",
  "deadline.race",
  "deadline.limit",
  "deadline.on-end",
  "deadline.watch",
  "deadline.unstarted",
];

/** Stores that break a rule of deadlines. */
export const overdueStores = named<TrackedStore>({
  "ignores deadlines": caughtBy([...OF_ENDS, "deadline.kept", "deadline.longest"], (store) =>
    creating(store, ({ startWithinMs: _, ...operation }) => operation),
  ),
  "begins an operation after its deadline": caughtBy(
    ["deadline.late", "deadline.unstarted"],
    (store, clock) =>
      claimingOne(store, async (id, request) => {
        const operation = await store.look(id);
        const { state, createdAt = 0, startWithinMs = Number.POSITIVE_INFINITY } = operation ?? {};
        const isLate = state === "pending" && createdAt + startWithinMs <= clock.now();
        return isLate && operation !== undefined
          ? { ...NOTHING, begun: [{ operation, previousLost: false }] }
          : store.claim(request);
      }),
  ),
  "ends nothing": caughtBy(OF_ENDS, () => ({ endOverdue: async () => [] })),
  "does not say who submitted an operation that has expired": caughtBy(
    ["deadline.late", "deadline.swept"],
    (store) => ({
      endOverdue: async (request) =>
        (await store.endOverdue(request)).map(({ principal: _, ...operation }) => operation),
    }),
  ),
  "says that an operation was accepted when it expired": caughtBy(OF_EVERY_END, (store, clock) => ({
    endOverdue: async (request) =>
      (await store.endOverdue(request)).map((operation) => ({ ...operation, createdAt: clock.now() })),
  })),
  "ends every overdue operation in one call": caughtBy(["deadline.limit"], (store) => ({
    endOverdue: () => store.endOverdue({ limit: 1_000 }),
  })),
  "reports an overdue operation to several callers": caughtBy(
    ["deadline.swept", "deadline.race"],
    (store) => ({
      endOverdue: sharingAnswers((request) => store.endOverdue(request)),
    }),
  ),
  "ends operations that have begun": caughtBy(["deadline.begun"], (store, clock) => ({
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
  })),
  "forgets the deadline of an operation with its first attempt": caughtBy(["deadline.unstarted"], (store) =>
    retrying(store, (retry) => ({ ...retry, started: true })),
  ),
  "keeps the deadline of an operation that has started and was given back": caughtBy(
    ["deadline.begun"],
    (store) => retrying(store, (retry) => ({ ...retry, started: false })),
  ),
  "counts the time from the acceptance of a delayed operation": caughtBy(["deadline.delayed"], (store) =>
    creating(store, (operation) => {
      const { delayMs = 0, startWithinMs } = operation;
      if (startWithinMs === undefined) return operation;
      return { ...operation, startWithinMs: Math.max(1, startWithinMs - delayMs) };
    }),
  ),
  "counts the time of an operation while it is preparing": caughtBy(
    ["deadline.prepared"],
    (store, clock) => ({
      endOverdue: async (request) => {
        const late = (await store.all()).filter(
          ({ state, createdAt, startWithinMs = Number.POSITIVE_INFINITY }) =>
            state === "preparing" && createdAt + startWithinMs <= clock.now(),
        );
        return [...(await store.endOverdue(request)), ...late.map(about)];
      },
    }),
  ),
  "forgets the deadline of an operation that was preparing": caughtBy(["deadline.prepared"], (store) =>
    creating(store, ({ startWithinMs, ...operation }, initial) =>
      initial === undefined && startWithinMs !== undefined ? { ...operation, startWithinMs } : operation,
    ),
  ),
  "creates no follow-up of an operation that expires": caughtBy(["deadline.on-end"], (store) =>
    creating(store, (operation) => {
      const { onEnd: _, ...rest } = operation;
      return operation.startWithinMs === undefined ? operation : rest;
    }),
  ),
  "cancels an operation that has expired": caughtBy(["deadline.ended"], (store) => ({
    requestCancel: async (id, tenant) => {
      const { error = "" } = (await store.get(id, tenant)) ?? {};
      return error.includes("expired") ? "cancelled" : store.requestCancel(id, tenant);
    },
  })),
  "spares operations of a paused definition": caughtBy(["deadline.paused"], (store) => {
    let paused = false;
    return {
      pause: async (definition, by) => {
        paused = true;
        await store.pause(definition, by);
      },
      endOverdue: async (request) => (paused ? [] : await store.endOverdue(request)),
    };
  }),
  "does not find operations that wait for their turn in a lane": caughtBy(["deadline.lane"], (store) => ({
    endOverdue: async (request) => {
      const ended = await store.endOverdue(request);
      const first = ended.find(({ id }) => store.created.get(id)?.lane !== undefined);
      return ended.filter(({ id }) => id === first?.id || store.created.get(id)?.lane === undefined);
    },
  })),
  "gives the successor of an expired operation no deadline": caughtBy(["deadline.redrive"], (store) => ({
    redrive: async (retryOf, { id }) => {
      const { startWithinMs: _, ...failed } = store.created.get(retryOf) as Operation;
      await store.create({ ...failed, id, retryOf });
      return { outcome: "redriven", operationId: id, created: true };
    },
  })),
});
