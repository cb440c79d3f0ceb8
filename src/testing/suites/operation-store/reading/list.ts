import type { NewOperation, Operation } from "../../../../contract/operation.js";
import type { ListedOperation, ListPosition, ListRequest } from "../../../../ports/operation-reads.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { newFollowUp } from "../attempt/on-end.js";
import {
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  ERROR,
  FAILED,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  RESULT,
  read,
} from "../fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

async function list(
  store: OperationStore,
  request: Partial<ListRequest>,
): Promise<readonly ListedOperation[]> {
  return store.list({ limit: 100, ...request });
}

async function listIds(store: OperationStore, request: Partial<ListRequest> = {}): Promise<string[]> {
  return (await list(store, request)).map(({ id }) => id);
}

/** Reads the list page by page and returns every id. */
async function pagedIds(
  store: OperationStore,
  limit: number,
  filter: Partial<ListRequest> = {},
): Promise<string[]> {
  const ids: string[] = [];
  let after: ListPosition | undefined;
  for (;;) {
    const page = await list(store, { ...filter, limit, ...(after === undefined ? {} : { after }) });
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1);
    if (after === undefined || ids.length > 1_000) return ids;
  }
}

async function newestFirst(store: OperationStore, operations: readonly NewOperation[]): Promise<string[]> {
  const all: Operation[] = [];
  for (const operation of operations) all.push(await read(store, operation));
  return inOrder(all);
}

function inOrder(operations: readonly Operation[]): string[] {
  const sorted = [...operations].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return sorted.map(({ id }) => id);
}

type Filter = Omit<ListRequest, "limit" | "after" | "internal">;

/** Returns every combination of a tenant, a definition, a state and a range of times, and of none of each. */
function combinationsOf(operations: readonly Operation[]): readonly Filter[] {
  const times = operations.map(({ createdAt }) => createdAt);
  const members: readonly (readonly Filter[])[] = [
    [{}, { tenant: "tenant-2" }],
    [{}, { definition: "orders" }],
    [{}, { state: "pending" }, { state: "completed" }, { state: "failed" }],
    [{}, { createdFrom: Math.min(...times) + 1 }, { createdBefore: Math.max(...times) }],
  ];
  return members.reduce<readonly Filter[]>(
    (filters, choices) => filters.flatMap((filter) => choices.map((choice) => ({ ...filter, ...choice }))),
    [{}],
  );
}

function matches(
  { tenant, definition, state, createdFrom = 0, createdBefore = Number.POSITIVE_INFINITY }: Filter,
  operation: Operation,
): boolean {
  return (
    (tenant ?? operation.tenant) === operation.tenant &&
    (definition ?? operation.definition) === operation.definition &&
    (state ?? operation.state) === operation.state &&
    operation.createdAt >= createdFrom &&
    operation.createdAt < createdBefore
  );
}

export const listChecks: readonly OperationStoreCheck[] = [
  {
    rule: "list.internal",
    name: "lists hidden and preparing operations only on request",
    check: async (store) => {
      deepEqual(await listIds(store, { internal: true }), [], "the list of an empty store");
      const shown = await createPending(store);
      const hidden = await createPending(store, { hidden: true });
      const { operation: preparing } = await createPreparing(store, LONG_MS);
      deepEqual(await listIds(store), [shown.id], "the list");
      deepEqual(await listIds(store, { state: "preparing" }), [], "the list of preparing operations");
      const internal = (await listIds(store, { internal: true })).sort();
      deepEqual(internal, [shown.id, hidden.id, preparing.id].sort(), "the list with internal operations");
    },
  },
  {
    rule: "list.members",
    name: "lists operations as `get` reads them, without their payloads",
    check: async (store) => {
      const links = {
        principal: "ann",
        key: "key-1",
        retryOf: newId(),
        meta: '{"trace":1}',
        onEnd: newFollowUp(),
      };
      const members = { ...links, failedRetentionMs: 2 * LONG_MS };
      const { operation, lease } = await createWorking(store, LONG_MS, members);
      const retry = { to: "retry", delayMs: LONG_MS, countAttempt: true, lastError: ERROR } as const;
      await store.renew(lease, { leaseMs: LONG_MS, progress: "1" });
      await store.settle(lease, retry);
      const { operation: completed } = await createEnded(store, {}, { to: "completed", result: RESULT });
      const { operation: failed } = await createEnded(store, {}, FAILED);
      const { operation: cancelling } = await createWorking(store, LONG_MS);
      equal(await store.requestCancel(cancelling.id, cancelling.tenant), "requested", "the cancellation");
      for (const each of [operation, completed, failed, cancelling]) {
        const { input, result, resource, progress, meta, onEnd, ...rest } = await read(store, each);
        const listed = (await list(store, {})).find(({ id }) => id === each.id);
        deepEqual(listed, rest, "a listed operation");
      }
    },
  },
  {
    rule: "list.filters",
    name: "filters by tenant, definition and state",
    check: async (store) => {
      const pending = await createPending(store);
      const other = await createPending(store, { tenant: "tenant-2", definition: "reports" });
      const { operation: completed } = await createEnded(store, { definition: "reports" });
      const { operation: failed } = await createEnded(store, { definition: "reports" }, FAILED);
      const { operation: preparing } = await createPreparing(store, LONG_MS);
      const expected: readonly (readonly [Partial<ListRequest>, readonly { readonly id: string }[]])[] = [
        [{ tenant: "tenant-2" }, [other]],
        [{ tenant: "tenant-3" }, []],
        [{ definition: "reports" }, [other, completed, failed]],
        [{ definition: "constructor" }, []],
        [{ state: "pending" }, [pending, other]],
        [{ state: "preparing", internal: true }, [preparing]],
        [{ state: "completed" }, [completed]],
        [{ tenant: "tenant-1", definition: "reports", state: "failed" }, [failed]],
        [{ tenant: "tenant-2", state: "failed" }, []],
      ];
      for (const [request, operations] of expected) {
        const ids = operations.map(({ id }) => id).sort();
        const listed = (await listIds(store, request)).sort();
        deepEqual(listed, ids, `the list of ${JSON.stringify(request)}`);
      }
    },
  },
  {
    rule: "list.times",
    name: "lists operations created at or after one time and before another",
    check: async (store, { unitMs, pass }) => {
      const created: Operation[] = [];
      for (let count = 0; count < 3; count += 1) {
        created.push(await read(store, await createPending(store)));
        await pass(unitMs);
      }
      const [first, second, third] = created as [Operation, Operation, Operation];
      const from = { createdFrom: second.createdAt };
      const before = { createdBefore: third.createdAt };
      deepEqual(await listIds(store, from), [third.id, second.id], "the list from a time");
      deepEqual(await listIds(store, before), [second.id, first.id], "the list before a time");
      deepEqual(await listIds(store, { ...from, ...before }), [second.id], "the list between two times");
    },
  },
  {
    rule: "list.pages",
    name: "lists the newest operations first, page by page, without repeating the last one of a page",
    check: async (store, { unitMs, pass }) => {
      const ids: string[] = [];
      // Ids whose order is the reverse of the creation times.
      const chosen = Array.from({ length: 5 }, newId).sort().reverse();
      for (const id of chosen) {
        ids.unshift((await createPending(store, { id })).id);
        await pass(unitMs);
      }
      deepEqual(await listIds(store, { limit: 2 }), ids.slice(0, 2), "the first page");
      deepEqual(await pagedIds(store, 2), ids, "all pages");
      deepEqual(await pagedIds(store, 5), ids, "all pages, if the first one is full");
    },
  },
  {
    rule: "list.filtered-pages",
    name: "applies every filter to every page, among operations of other tenants, definitions and states",
    check: async (store, { unitMs, pass }) => {
      const created: Operation[] = [];
      for (let round = 0; round < 3; round += 1) {
        for (const tenant of ["tenant-1", "tenant-2"])
          for (const definition of ["orders", "reports"]) {
            const members = { tenant, definition };
            const { operation: failed } = await createEnded(store, members, FAILED);
            const { operation: completed } = await createEnded(store, members);
            for (const each of [await createPending(store, members), failed, completed])
              created.push(await read(store, each));
            await createPending(store, { ...members, hidden: true });
            await createPreparing(store, LONG_MS, members);
          }
        await pass(unitMs);
      }
      for (const filter of combinationsOf(created)) {
        const ids = inOrder(created.filter((each) => matches(filter, each)));
        const listed = await pagedIds(store, 2, filter);
        deepEqual(listed, ids, `pages of two of the list of ${JSON.stringify(filter)}`);
      }
    },
  },
  {
    rule: "list.internal-pages",
    name: "applies the choice of internal operations to every page",
    check: async (store, { unitMs, pass }) => {
      const ids: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        ids.unshift((await createPending(store)).id);
        await pass(unitMs);
        ids.unshift((await createPending(store, { hidden: true })).id);
        await pass(unitMs);
      }
      deepEqual(await pagedIds(store, 2, { internal: true }), ids, "pages of two, with internal operations");
      const shown = ids.filter((_, index) => index % 2 === 1);
      deepEqual(await pagedIds(store, 2), shown, "pages of two, without internal operations");
    },
  },
  {
    rule: "list.equal-times",
    name: "sorts operations of the same millisecond by id and loses none between pages",
    check: async (store) => {
      const operations = await concurrently(10, () => createPending(store));
      const ids = await newestFirst(store, operations);
      deepEqual(await listIds(store), ids, "the list");
      for (const limit of [1, 3, 10]) deepEqual(await pagedIds(store, limit), ids, `pages of ${limit}`);
    },
  },
  {
    rule: "jump.listed",
    name: "lists operations created during a year-long clock jump before those created later",
    needs: ["jumpsBack"],
    check: async (store, { jump }) => {
      // The operation with the latest time gets the first id.
      const [first, second, third] = Array.from({ length: 3 }, newId).sort() as [string, string, string];
      const before = await createPending(store, { id: second });
      await jump(YEAR_MS);
      const ahead = await createPending(store, { id: first });
      await jump(-YEAR_MS);
      const after = await createPending(store, { id: third });
      const ids = await newestFirst(store, [before, ahead, after]);
      equal(ids[0], ahead.id, "the operations with the latest times");
      deepEqual(await pagedIds(store, 2), ids, "all pages");
    },
  },
];
