import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual } from "../../../expect.js";
import type { PortTime } from "../../port-case.js";
import {
  begin,
  createPending,
  FIRST_ANNOUNCEMENT_MS,
  LONG_MS,
  type OperationStoreCheck,
} from "../fixtures.js";
import { takeIds } from "./taking.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Checks that an operation is handed out exactly `afterMs` from now. */
async function comesAfter(store: OperationStore, time: PortTime, id: string, afterMs: number): Promise<void> {
  await time.pass(afterMs - time.unitMs);
  deepEqual(await takeIds(store), [], `operations handed out before ${afterMs} ms are over`);
  await time.pass(time.unitMs);
  deepEqual(await takeIds(store), [id], `operations handed out after ${afterMs} ms`);
}

export const dueAgainChecks: readonly OperationStoreCheck[] = [
  {
    rule: "due.series",
    name: "hands out an operation again after 30 s, 2 min and 8 min, and later at most an hour apart",
    needs: ["skipsTime"],
    check: async (store, time) => {
      const { id } = await createPending(store);
      await time.pass(FIRST_ANNOUNCEMENT_MS);
      deepEqual(await takeIds(store), [id], "operations handed out first");
      await comesAfter(store, time, id, 30 * SECOND_MS);
      await comesAfter(store, time, id, 2 * MINUTE_MS);
      await comesAfter(store, time, id, 8 * MINUTE_MS);
      await time.pass(8 * MINUTE_MS);
      deepEqual(await takeIds(store), [], "operations handed out after 8 min more");
      await time.pass(52 * MINUTE_MS);
      deepEqual(await takeIds(store), [id], "operations handed out after an hour");
      await comesAfter(store, time, id, 60 * MINUTE_MS);
      await comesAfter(store, time, id, 60 * MINUTE_MS);
    },
  },
  {
    rule: "due.series-anew",
    name: "restarts the series after a retry",
    needs: ["skipsTime"],
    check: async (store, time) => {
      const { id } = await createPending(store);
      await time.pass(FIRST_ANNOUNCEMENT_MS);
      deepEqual(await takeIds(store), [id], "operations handed out first");
      await comesAfter(store, time, id, 30 * SECOND_MS);
      await comesAfter(store, time, id, 2 * MINUTE_MS);
      const { lease } = await begin(store, id);
      await store.settle(lease, { to: "retry", delayMs: 5 * SECOND_MS, countAttempt: true });
      await comesAfter(store, time, id, 5 * SECOND_MS);
      await comesAfter(store, time, id, 30 * SECOND_MS);
      await comesAfter(store, time, id, 2 * MINUTE_MS);
    },
  },
  {
    rule: "due.moved",
    name: "hands out a started operation no earlier than the end of its lease",
    needs: ["skipsTime"],
    check: async (store, time) => {
      const { id } = await createPending(store);
      await time.pass(FIRST_ANNOUNCEMENT_MS);
      deepEqual(await takeIds(store), [id], "operations handed out first");
      const { lease } = await begin(store, id, LONG_MS);
      await time.pass(10 * MINUTE_MS);
      deepEqual(await takeIds(store), [], "operations handed out during the lease");
      await store.renew(lease, { leaseMs: 5 * MINUTE_MS });
      await comesAfter(store, time, id, 5 * MINUTE_MS);
    },
  },
];
