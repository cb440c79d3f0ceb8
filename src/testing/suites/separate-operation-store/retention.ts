import { deepEqual, equal } from "../../expect.js";
import { KEYS } from "../contents.js";
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
} from "../operation-store/fixtures.js";
import { concurrently } from "../port-case.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

const MINUTE_MS = 60_000;

export const retentionChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "retention.from-the-end",
    name: "hands out an operation when its retention is over, counted from its end, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, LONG_MS, { retentionMs: 5 * unitMs });
      await pass(10 * unitMs);
      await store.settle(lease, COMPLETED);
      deepEqual(await takeExpiredIds(store), [], "operations handed out at its end");
      await pass(4 * unitMs);
      deepEqual(await takeExpiredIds(store), [], "operations handed out before its retention is over");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [operation.id], "operations handed out when it is over");
    },
  },
  {
    rule: "retention.own",
    name: "keeps each operation for its own retention, in any order of ending",
    check: async (store, { unitMs, pass }) => {
      const { operation: long } = await createEnded(store, { retentionMs: 10 * unitMs });
      const { operation: short } = await createEnded(store, { retentionMs: 5 * unitMs });
      await pass(5 * unitMs);
      deepEqual(await takeExpiredIds(store), [short.id], "operations handed out after the short retention");
      await pass(4 * unitMs);
      deepEqual(await takeExpiredIds(store), [], "operations handed out before the long retention is over");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [long.id], "operations handed out when it is over");
    },
  },
  {
    rule: "retention.overdue",
    name: "hands out operations in order of expiry, not of ending",
    check: async (store, { unitMs, pass }) => {
      const retentions = [6, 2, 4];
      const ids: string[] = [];
      for (const units of retentions)
        ids.push((await createEnded(store, { retentionMs: units * unitMs })).operation.id);
      await pass(7 * unitMs);
      deepEqual(await takeExpiredIds(store, 2), [ids[1], ids[2]], "operations handed out with a limit of 2");
      deepEqual(await takeExpiredIds(store, 2), [ids[0]], "operations handed out next");
    },
  },
  {
    rule: "retention.members",
    name: "hands out everything needed to release the key, also for hidden operations and operations without a key",
    check: async (store) => {
      const endings = [
        { definition: "orders", key: "key:1" },
        { definition: "reports" },
        { definition: "notices", hidden: true },
      ];
      const expected = new Map<string, unknown>();
      for (const members of endings) {
        const { operation } = await createEnded(store, { ...members, retentionMs: 0 });
        const { id, tenant, definition, key } = operation;
        expected.set(id, { id, tenant, definition, key });
      }
      const expired = await store.takeExpired({ limit: 10 });
      equal(expired.length, endings.length, "number of operations handed out");
      for (const { id, tenant, definition, key } of expired) {
        deepEqual({ id, tenant, definition, key }, expected.get(id), "operations handed out");
      }
    },
  },
  {
    rule: "retention.keys",
    name: "hands out keys of all printable ASCII characters exactly",
    check: async (store) => {
      const ended = await Promise.all(KEYS.map((key) => createEnded(store, { key, retentionMs: 0 })));
      const expected = ended.map(({ operation: { id, key } }) => [id, key]);
      const expired = await store.takeExpired({ limit: KEYS.length });
      deepEqual(expired.map(({ id, key }) => [id, key]).sort(), expected.sort(), "the keys handed out");
    },
  },
  {
    rule: "retention.terminal-only",
    name: "hands out completed and failed operations and no others",
    check: async (store) => {
      const members = { retentionMs: 0 };
      await createPending(store, members);
      await createWorking(store, LONG_MS, members);
      await createPreparing(store, LONG_MS, members);
      const failed = await createEnded(store, members, FAILED);
      const cancelled = await createPending(store, members);
      await store.requestCancel(cancelled.id, cancelled.tenant);
      const stillborn = newOperation(members);
      await store.create(stillborn, { state: "failed", error: ERROR });
      const ids = [failed.operation.id, cancelled.id, stillborn.id].sort();
      deepEqual((await takeExpiredIds(store)).sort(), ids, "operations handed out");
    },
  },
  {
    rule: "retention.order",
    name: "hands out operations in order of ending, up to the limit",
    check: async (store, { unitMs, pass }) => {
      const leases = [];
      for (let count = 0; count < 4; count += 1)
        leases.push((await createWorking(store, LONG_MS, { retentionMs: 0 })).lease);
      leases.reverse();
      for (const lease of leases) {
        await store.settle(lease, COMPLETED);
        await pass(unitMs);
      }
      const ids = leases.map(({ operationId }) => operationId);
      deepEqual(await takeExpiredIds(store, 3), ids.slice(0, 3), "operations handed out with a limit of 3");
      deepEqual(await takeExpiredIds(store, 3), ids.slice(3), "operations handed out next");
    },
  },
  {
    rule: "retention.race",
    name: "hands each expired operation to one of many concurrent callers",
    check: async (store) => {
      const ids: string[] = [];
      for (let count = 0; count < 20; count += 1)
        ids.push((await createEnded(store, { retentionMs: 0 })).operation.id);
      const taken = (await concurrently(10, () => takeExpiredIds(store, 5))).flat();
      while (taken.length < ids.length) {
        const next = await takeExpiredIds(store);
        if (next.length === 0) break;
        taken.push(...next);
      }
      deepEqual(taken.sort(), ids.sort(), "all operations handed out");
    },
  },
  {
    rule: "retention.again",
    name: "hands out an operation again after a minute if it was not removed, not earlier",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createEnded(store, { retentionMs: 0 });
      deepEqual(await takeExpiredIds(store), [operation.id], "operations handed out first");
      for (const time of ["second", "third"]) {
        await pass(MINUTE_MS - unitMs);
        deepEqual(await takeExpiredIds(store), [], "operations handed out before a minute is over");
        await pass(unitMs);
        deepEqual(await takeExpiredIds(store), [operation.id], `operations handed out the ${time} time`);
      }
    },
  },
];
