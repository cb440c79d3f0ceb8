import { deepEqual, equal } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  FIRST_ANNOUNCEMENT_MS,
  LONG_MS,
  type OperationStoreCheck,
  PREPARED,
} from "../fixtures.js";
import { createDue, takeIds } from "./taking.js";

export const dueChecks: readonly OperationStoreCheck[] = [
  {
    rule: "due.handed-out",
    name: "hands out operations that no worker is running, with their definitions",
    check: async (store, time) => {
      const [id] = await createDue(store, time, 1);
      const due = await store.takeDue({ definitions: ["orders"], limit: 10 });
      deepEqual(due, [{ id, definition: "orders" }], "operations handed out");
    },
  },
  {
    rule: "due.definitions",
    name: "hands out operations of the requested definitions and keeps the others",
    check: async (store, time) => {
      const names = ["orders", "orders2", "order", "__proto__"];
      const ids = await createDue(store, time, names.length, (index) => ({ definition: `${names[index]}` }));
      deepEqual(await takeIds(store, []), [], "operations handed out for no definition");
      deepEqual(await takeIds(store, ["constructor"]), [], "operations handed out for another definition");
      deepEqual(await takeIds(store, ["__proto__"]), [ids[3]], "operations handed out for `__proto__`");
      const both = [ids[1], ids[2]].sort();
      deepEqual(
        await takeIds(store, ["order", "orders2"]),
        both,
        "operations handed out for two definitions",
      );
      deepEqual(await takeIds(store, ["orders"]), [ids[0]], "operations handed out for the last");
    },
  },
  {
    rule: "due.limit",
    name: "hands out at most the limit per call and the rest later, each operation once",
    check: async (store, time) => {
      const ids = await createDue(store, time, 5);
      const taken: string[] = [];
      for (const count of [2, 2, 1, 0]) {
        const next = await takeIds(store, ["orders"], 2);
        equal(next.length, count, "number of operations handed out with a limit of 2");
        taken.push(...next);
      }
      deepEqual(taken.sort(), ids.sort(), "all operations handed out");
    },
  },
  {
    rule: "due.race",
    name: "hands each operation to one of many concurrent callers",
    check: async (store, time) => {
      const ids = await createDue(store, time, 20);
      const taken = (await concurrently(10, () => takeIds(store, ["orders"], 5))).flat();
      // Operations that two callers tried to take at the same time may stay for a later call, but are never handed
      // out twice.
      while (taken.length < ids.length) {
        const next = await takeIds(store, ["orders"]);
        if (next.length === 0) break;
        taken.push(...next);
      }
      deepEqual(taken.sort(), ids.sort(), "all operations handed out");
    },
  },
  {
    rule: "due.begun",
    name: "hands out an operation at the end of its first or renewed lease, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, 5 * unitMs);
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the end of the lease");
      await store.renew(lease, { leaseMs: 5 * unitMs });
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the end of the renewed lease");
      await pass(unitMs);
      deepEqual(await takeIds(store), [operation.id], "operations handed out at the end of the lease");
      await begin(store, operation.id, 5 * unitMs);
      await pass(5 * unitMs);
      deepEqual(await takeIds(store), [operation.id], "operations handed out at the end of the second lease");
    },
  },
  {
    rule: "due.retried",
    name: "hands out a retry when it is due, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await store.settle(lease, { to: "retry", delayMs: 5 * unitMs, countAttempt: true });
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the delay is over");
      await pass(unitMs);
      deepEqual(await takeIds(store), [operation.id], "operations handed out when the delay is over");
    },
  },
  {
    rule: "due.preparing",
    name: "hands out an operation that is preparing at the end of its creator's lease, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createPreparing(store, 5 * unitMs);
      await pass(4 * unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before the end of the lease");
      await pass(unitMs);
      deepEqual(await takeIds(store), [operation.id], "operations handed out at the end of the lease");
    },
  },
  {
    rule: "due.hidden",
    name: "hands out hidden operations like all others",
    check: async (store, time) => {
      const ids = await createDue(store, time, 1, () => ({ hidden: true }));
      deepEqual(await takeIds(store), ids, "operations handed out");
    },
  },
  {
    rule: "due.new",
    name: "hands out a new or newly prepared operation 30 s later, not earlier",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { id } = await createPending(store);
      const { operation, lease } = await createPreparing(store, LONG_MS);
      await store.settle(lease, PREPARED);
      await pass(FIRST_ANNOUNCEMENT_MS - unitMs);
      deepEqual(await takeIds(store), [], "operations handed out before 30 s");
      await pass(unitMs);
      deepEqual(await takeIds(store), [id, operation.id].sort(), "operations handed out at 30 s");
    },
  },
  {
    rule: "due.terminal",
    name: "never hands out ended operations",
    needs: ["skipsTime"],
    check: async (store, { pass }) => {
      await createEnded(store);
      await createEnded(store, {}, FAILED);
      const { id, tenant } = await createPending(store);
      await store.requestCancel(id, tenant);
      await pass(2 * LONG_MS);
      deepEqual(await takeIds(store), [], "operations handed out hours later");
    },
  },
];
