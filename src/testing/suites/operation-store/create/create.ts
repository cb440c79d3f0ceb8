import type { Kept } from "../../../../ports/operation-store.js";
import { deepEqual, equal, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begins,
  createEnded,
  createPending,
  ERROR,
  newOperation,
  type OperationStoreCheck,
  read,
} from "../fixtures.js";

/**
 * RFC 8785 text that databases often fail to store: an escaped NUL, a lone surrogate, and characters outside the
 * basic plane.
 */
export const DIFFICULT_TEXT =
  '{"1":1e+30,"__proto__":"\\u0000\\ud800","constructor":"é漢😀 \\"\'\\\\ %s $1 ?"}';

const KEPT: readonly Kept[] = ["deadlines", "lanes", "limits"];

export const createChecks: readonly OperationStoreCheck[] = [
  {
    rule: "keeps.named",
    name: "names in `keeps` everything that the harness does not say it lacks",
    check: async ({ keeps }, _, { capabilities: { lacks = [] } }) => {
      for (const each of KEPT)
        equal(keeps.includes(each), !lacks.includes(each), `whether \`keeps\` has "${each}"`);
    },
  },
  {
    rule: "create.new",
    name: "creates an operation with a new id as pending and without an attempt",
    check: async (store) => {
      const operation = await createPending(store, { key: "key-1" });
      const { createdAt, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "pending", attempt: 0 }, "the new operation");
      ok(Number.isSafeInteger(createdAt) && createdAt > 0, "`createdAt` is in epoch milliseconds");
    },
  },
  {
    rule: "create.exists",
    name: "keeps the existing operation with the same id and returns `exists`",
    check: async (store) => {
      const operation = await createPending(store);
      const before = await read(store, operation);
      equal(await store.create({ ...operation, input: '"other"' }), "exists", "creating the id again");
      deepEqual(await read(store, operation), before, "the first operation");
    },
  },
  {
    rule: "create.race",
    name: "lets one of 50 concurrent creations of an id win and stores its values",
    check: async (store) => {
      const operation = newOperation();
      const outcomes = await concurrently(50, (index) => store.create({ ...operation, input: `${index}` }));
      equal(
        outcomes.filter((outcome) => outcome === "created").length,
        1,
        "number of calls that returned `created`",
      );
      equal((await read(store, operation)).input, `${outcomes.indexOf("created")}`, "the stored input");
    },
  },
  {
    rule: "create.ended",
    name: "does not restart an ended operation",
    check: async (store) => {
      const { operation } = await createEnded(store);
      equal(await store.create(operation), "exists", "creating the id again");
      equal((await read(store, operation)).state, "completed", "the state");
      equal(await begins(store, operation.id), false, "beginning an attempt");
    },
  },
  {
    rule: "create.text",
    name: "stores the input exactly, with any characters, up to 64 KiB",
    check: async (store) => {
      for (const input of [DIFFICULT_TEXT, "null", " 1.0 ", JSON.stringify("x".repeat(65_536))]) {
        const operation = await createPending(store, { input });
        equal((await read(store, operation)).input, input, "the stored input");
      }
    },
  },
  {
    rule: "create.names",
    name: "treats tenants, definitions and keys as plain names",
    check: async (store) => {
      for (const name of ["__proto__", "constructor", "toString", "a:b", "{a}", "é'\"%$?*"]) {
        equal(await store.get(newOperation().id, name), undefined, "an unknown id in that tenant");
        const operation = await createPending(store, { tenant: name, definition: name, key: name });
        const { tenant, definition, key } = await read(store, operation);
        deepEqual([tenant, definition, key], [name, name, name], "tenant, definition and key");
      }
    },
  },
  {
    rule: "create.failed",
    name: "creates an operation as failed on request, with equal times of creation and end",
    check: async (store) => {
      const operation = newOperation({ key: "key-1" });
      const initial = { state: "failed", error: ERROR } as const;
      equal(await store.create(operation, initial), "created", "creating a failed operation");
      const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "failed", error: ERROR, attempt: 0 }, "the failed operation");
      ok(settledAt >= createdAt, "`settledAt` is not before `createdAt`");
      equal(await begins(store, operation.id), false, "beginning an attempt");
      equal(await store.create(operation, initial), "exists", "repeating the creation");
    },
  },
];
