import { deepEqual, equal, isOutcome } from "../../expect.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  LONG_MS,
  newId,
  read,
} from "../operation-store/fixtures.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

const MINUTE_MS = 60_000;

export const removalChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "remove.later",
    name: "deletes an operation after the requested time, and until then reads it and reserves its id",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createEnded(store);
      const before = await read(store, operation);
      await store.remove([operation.id], { afterMs: 5 * unitMs });
      await pass(4 * unitMs);
      await takeExpiredIds(store);
      deepEqual(await read(store, operation), before, "the operation before it is deleted");
      equal(await store.create(operation), "exists", "creating its id before it is deleted");
      await pass(unitMs);
      await takeExpiredIds(store);
      equal(await store.get(operation.id, operation.tenant), undefined, "the operation afterwards");
      equal(await store.create(operation), "created", "creating its id afterwards");
    },
  },
  {
    rule: "remove.at-once",
    name: "deletes an operation at the next `takeExpired` if the requested time is 0",
    check: async (store) => {
      const { operation } = await createEnded(store);
      await store.remove([operation.id], { afterMs: 0 });
      await takeExpiredIds(store);
      equal(await store.get(operation.id, operation.tenant), undefined, "the operation");
    },
  },
  {
    rule: "remove.each-in-time",
    name: "deletes each operation after its own time, in any order of removal",
    check: async (store, { unitMs, pass }) => {
      const { operation: long } = await createEnded(store);
      const { operation: short } = await createEnded(store);
      await store.remove([long.id], { afterMs: LONG_MS });
      await store.remove([short.id], { afterMs: unitMs });
      await pass(unitMs);
      await takeExpiredIds(store);
      equal(await store.get(short.id, short.tenant), undefined, "the one with the short time");
      equal((await read(store, long)).state, "completed", "the one with the long time");
    },
  },
  {
    rule: "remove.repeated",
    name: "accepts repeated and unknown ids",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createEnded(store);
      await store.remove([], { afterMs: unitMs });
      await store.remove([newId(), operation.id, operation.id], { afterMs: unitMs });
      await store.remove([operation.id], { afterMs: unitMs });
      await pass(unitMs);
      await takeExpiredIds(store);
      await store.remove([operation.id], { afterMs: unitMs });
      equal(await store.create(operation), "created", "creating its id afterwards");
      await pass(unitMs);
      await takeExpiredIds(store);
      equal((await read(store, operation)).state, "pending", "the state of its successor");
    },
  },
  {
    rule: "remove.unfinished",
    name: "never removes an unfinished operation, neither immediately nor after it ends",
    check: async (store) => {
      const pending = await createPending(store);
      const { operation: working, lease } = await createWorking(store);
      const { operation: preparing } = await createPreparing(store, LONG_MS);
      await store.remove([pending.id, working.id, preparing.id], { afterMs: 0 });
      await takeExpiredIds(store);
      equal((await read(store, preparing)).state, "preparing", "the state of the preparing operation");
      equal((await begin(store, pending.id)).operation.attempt, 1, "the attempt of the pending operation");
      isOutcome(await store.settle(lease, COMPLETED), "settled", "settling the running operation");
      await takeExpiredIds(store);
      equal((await read(store, working)).state, "completed", "the state of the operation that ended later");
    },
  },
  {
    rule: "remove.settled",
    name: "reports nothing about a deleted operation",
    check: async (store) => {
      const { operation, lease } = await createEnded(store);
      await store.remove([operation.id], { afterMs: 0 });
      await takeExpiredIds(store);
      isOutcome(await store.settle(lease, COMPLETED), "lost", "repeating the settle");
      isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "lost", "renewing");
      equal(await store.requestCancel(operation.id, operation.tenant), "unknown", "cancelling");
      equal(await begins(store, operation.id), false, "beginning");
    },
  },
  {
    rule: "remove.not-again",
    name: "does not hand out again an operation that was passed to `remove`",
    needs: ["skipsTime"],
    check: async (store, { pass }) => {
      const { operation } = await createEnded(store, { retentionMs: 0 });
      deepEqual(await takeExpiredIds(store), [operation.id], "operations handed out first");
      await store.remove([operation.id], { afterMs: 5 * MINUTE_MS });
      for (let minutes = 1; minutes <= 4; minutes += 1) {
        await pass(MINUTE_MS);
        deepEqual(await takeExpiredIds(store), [], `operations handed out after ${minutes} min`);
      }
    },
  },
  {
    rule: "remove.makes-room",
    name: "does not let removed operations displace operations that expire later",
    needs: ["skipsTime"],
    check: async (store, { pass }) => {
      const { operation: first } = await createEnded(store, { retentionMs: 0 });
      deepEqual(await takeExpiredIds(store, 1), [first.id], "operations handed out first");
      await store.remove([first.id], { afterMs: 0 });
      await pass(MINUTE_MS);
      const { operation: second } = await createEnded(store, { retentionMs: 0 });
      deepEqual(await takeExpiredIds(store, 1), [second.id], "operations handed out a minute later");
    },
  },
];
