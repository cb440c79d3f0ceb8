import type { ListRequest, OperationStore } from "../../../ports/operation-store.js";
import { deepEqual } from "../../expect.js";
import {
  createEnded,
  createPending,
  createPreparing,
  FAILED,
  LONG_MS,
  type OperationStoreCheck,
  read,
} from "./fixtures.js";

async function listIds(store: OperationStore, request: Partial<ListRequest>): Promise<string[]> {
  if (store.list === undefined) throw new Error("a store whose harness says `list` must have it");
  return (await store.list({ limit: 100, ...request })).map(({ id }) => id);
}

export const listChecks: readonly OperationStoreCheck[] = [
  {
    rule: "list.everything",
    name: "lists operations of every scope and state by id, hidden ones included",
    needs: ["list"],
    check: async (store) => {
      deepEqual(await listIds(store, {}), [], "the list of an empty store");
      const operations = [
        await createPending(store),
        await createPending(store, { scope: "tenant-2", hidden: true }),
        (await createPreparing(store, LONG_MS)).operation,
        (await createEnded(store)).operation,
        (await createEnded(store, {}, FAILED)).operation,
      ];
      deepEqual(await listIds(store, {}), operations.map(({ id }) => id).sort(), "the list");
      const [first] = operations;
      const listed = await store.list?.({ limit: 100 });
      const same = listed?.find(({ id }) => id === first?.id);
      deepEqual(same, first && (await read(store, first)), "a listed operation, as it can be read");
    },
  },
  {
    rule: "list.filters",
    name: "lists what has the scope, the definition and the state that were asked for",
    needs: ["list"],
    check: async (store) => {
      const pending = await createPending(store);
      const other = await createPending(store, { scope: "tenant-2", definition: "reports" });
      const { operation: completed } = await createEnded(store, { definition: "reports" });
      const { operation: failed } = await createEnded(store, { definition: "reports" }, FAILED);
      const { operation: preparing } = await createPreparing(store, LONG_MS);
      const expected: readonly (readonly [Partial<ListRequest>, readonly { readonly id: string }[]])[] = [
        [{ scope: "tenant-2" }, [other]],
        [{ scope: "tenant-3" }, []],
        [{ definition: "reports" }, [other, completed, failed]],
        [{ definition: "constructor" }, []],
        [{ state: "pending" }, [pending, other]],
        [{ state: "preparing" }, [preparing]],
        [{ state: "completed" }, [completed]],
        [{ scope: "tenant-1", definition: "reports", state: "failed" }, [failed]],
        [{ scope: "tenant-2", state: "failed" }, []],
      ];
      for (const [request, operations] of expected) {
        const ids = operations.map(({ id }) => id).sort();
        deepEqual(await listIds(store, request), ids, `the list of ${JSON.stringify(request)}`);
      }
    },
  },
  {
    rule: "list.pages",
    name: "lists page by page, each after the last id of the page before",
    needs: ["list"],
    check: async (store) => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.push((await createPending(store)).id);
      ids.sort();
      deepEqual(await listIds(store, { limit: 2 }), ids.slice(0, 2), "the first page");
      deepEqual(await listIds(store, { limit: 2, after: `${ids[1]}` }), ids.slice(2, 4), "the second page");
      deepEqual(await listIds(store, { limit: 2, after: `${ids[3]}` }), ids.slice(4), "the last page");
      deepEqual(await listIds(store, { limit: 2, after: `${ids[4]}` }), [], "the page after the last");
    },
  },
];
