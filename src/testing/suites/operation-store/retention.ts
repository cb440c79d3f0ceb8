import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import {
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  ERROR,
  FAILED,
  LONG_MS,
  newOperation,
  type OperationStoreCheck,
} from "./fixtures.js";
import { takeExpiredIds } from "./taking.js";

const MINUTE_MS = 60_000;

export const retentionChecks: readonly OperationStoreCheck[] = [
  {
    rule: "retention.from-the-end",
    name: "hands out an operation when its retention is over, counted from its end, not sooner",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await pass(10 * unitMs);
      await store.settle(lease, COMPLETED);
      deepEqual(await takeExpiredIds(store, 5 * unitMs), [], "what is handed out at its end");
      await pass(4 * unitMs);
      deepEqual(
        await takeExpiredIds(store, 5 * unitMs),
        [],
        "what is handed out before its retention is over",
      );
      await pass(unitMs);
      deepEqual(
        await takeExpiredIds(store, 5 * unitMs),
        [operation.id],
        "what is handed out when it is over",
      );
    },
  },
  {
    rule: "retention.members",
    name: "hands out what is needed to release the key, also of hidden operations and those without a key",
    check: async (store) => {
      const endings = [
        { definition: "orders", key: "key:1" },
        { definition: "reports" },
        { definition: "notices", hidden: true },
      ];
      const expected = new Map<string, unknown>();
      for (const members of endings) {
        const { operation } = await createEnded(store, members);
        const { id, scope, definition, key } = operation;
        expected.set(id, { id, scope, definition, key });
      }
      const expired = await store.takeExpired({ retentionMs: 0, limit: 10 });
      equal(expired.length, endings.length, "how many are handed out");
      for (const { id, scope, definition, key } of expired) {
        deepEqual({ id, scope, definition, key }, expected.get(id), "what is handed out");
      }
    },
  },
  {
    rule: "retention.terminal-only",
    name: "hands out what has ended, whichever way, and nothing else",
    check: async (store) => {
      await createPending(store);
      await createWorking(store);
      await createPreparing(store, LONG_MS);
      const failed = await createEnded(store, {}, FAILED);
      const cancelled = await createPending(store);
      await store.requestCancel(cancelled.id, cancelled.scope);
      const stillborn = newOperation();
      await store.create(stillborn, { state: "failed", error: ERROR });
      const ids = [failed.operation.id, cancelled.id, stillborn.id].sort();
      deepEqual((await takeExpiredIds(store, 0)).sort(), ids, "what is handed out");
    },
  },
  {
    rule: "retention.order",
    name: "hands out what ended first before what ended later, up to the limit",
    check: async (store, { unitMs, pass }) => {
      const leases = [];
      for (let count = 0; count < 4; count += 1) leases.push((await createWorking(store)).lease);
      leases.reverse();
      for (const lease of leases) {
        await store.settle(lease, COMPLETED);
        await pass(unitMs);
      }
      const ids = leases.map(({ operationId }) => operationId);
      deepEqual(await takeExpiredIds(store, 0, 3), ids.slice(0, 3), "what is handed out with a limit of 3");
      deepEqual(await takeExpiredIds(store, 0, 3), ids.slice(3), "what is handed out next");
    },
  },
  {
    rule: "retention.race",
    name: "hands each expired operation to one of many concurrent callers",
    check: async (store) => {
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1) ids.push((await createEnded(store)).operation.id);
      const taken = (await concurrently(10, () => takeExpiredIds(store, 0, 5))).flat();
      while (taken.length < ids.length) {
        const next = await takeExpiredIds(store, 0);
        if (next.length === 0) break;
        taken.push(...next);
      }
      deepEqual(taken.sort(), ids.sort(), "all that were handed out");
    },
  },
  {
    rule: "retention.again",
    name: "hands out an operation again after a minute if it was not removed, not sooner",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createEnded(store);
      deepEqual(await takeExpiredIds(store, 0), [operation.id], "what is handed out first");
      for (const time of ["second", "third"]) {
        await pass(MINUTE_MS - unitMs);
        deepEqual(await takeExpiredIds(store, 0), [], "what is handed out before a minute is over");
        await pass(unitMs);
        deepEqual(await takeExpiredIds(store, 0), [operation.id], `what is handed out the ${time} time`);
      }
    },
  },
];
