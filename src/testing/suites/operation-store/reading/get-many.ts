import type { Operation } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal } from "../../../expect.js";
import {
  begin,
  createEnded,
  createPending,
  createPreparing,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  read,
} from "../fixtures.js";

async function getMany(store: OperationStore, ids: readonly string[]): Promise<Operation[]> {
  return [...(await store.getMany(ids))].sort((one, other) => (one.id < other.id ? -1 : 1));
}

export const getManyChecks: readonly OperationStoreCheck[] = [
  {
    rule: "get-many.any",
    name: "reads operations of any tenant and state as `get` does",
    check: async (store) => {
      const operations = [
        await createPending(store, { key: "key-1", meta: "{}", principal: "ann" }),
        await createPending(store, { tenant: "tenant-2" }),
        (await createPreparing(store, LONG_MS)).operation,
        (await createEnded(store)).operation,
      ];
      await createPending(store);
      const expected: Operation[] = [];
      for (const operation of operations) expected.push(await read(store, operation));
      const found = await getMany(
        store,
        operations.map(({ id }) => id),
      );
      deepEqual(
        found,
        expected.sort((one, other) => (one.id < other.id ? -1 : 1)),
        "the operations read",
      );
    },
  },
  {
    rule: "get-many.hidden",
    name: "reads hidden operations",
    check: async (store) => {
      const { id } = await createPending(store, { hidden: true });
      const { operation } = await begin(store, id);
      deepEqual(await getMany(store, [id]), [operation], "the operations read");
    },
  },
  {
    rule: "get-many.unknown",
    name: "omits unknown ids and reads each id once, even if it is requested twice",
    check: async (store) => {
      const { id } = await createPending(store);
      equal((await getMany(store, [])).length, 0, "number of operations read for an empty list of ids");
      const found = await getMany(store, [newId(), id, newId(), id]);
      deepEqual(
        found.map((operation) => operation.id),
        [id],
        "the ids of the operations read",
      );
    },
  },
];
