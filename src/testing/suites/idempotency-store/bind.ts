import { deepEqual, equal, isOutcome } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { TENANTS } from "../tenants.js";
import { bound, boundTo, type IdempotencyStoreCheck, newBinding } from "./fixtures.js";

/** References that a store would confuse if it joined the three parts into one string. */
const CONFUSABLE: readonly (readonly [string, string, string])[] = [
  ["a:b", "c", "d"],
  ["a", "b:c", "d"],
  ["a", "b", "c:d"],
  ["a:b:c", "", "d"],
  ["", "a:b:c", "d"],
  ["a/b", "c", "d"],
  ["a", "b/c", "d"],
  ["a\u0001b", "c", "d"],
  ["a", "b\u0001c", "d"],
  ["ab", "c", "d"],
  ["a", "bc", "d"],
  ["a", "b", "cd"],
  ["1:a", "b", "cd"],
  ["1:a1", ":b", "cd"],
  ['a","b', "c", "d"],
  ["a", 'b","c', "d"],
];

/** Names that differ, although a collation or a plain object may treat them as equal. */
const NAMES: readonly string[] = [
  "key",
  "Key",
  "key ",
  " key",
  "k%",
  "k_y",
  "0",
  "00",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "k'--",
  "{key}",
  "k".repeat(255),
  `${"k".repeat(254)}l`,
];

export const bindChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "bind.exists",
    name: "binds a key to the first operation and returns that operation and its fingerprint to later bindings",
    check: async (store) => {
      const first = await bound(store);
      deepEqual(await store.bind(newBinding()), boundTo(first), "a binding with the same fingerprint");
      const other = newBinding({ fingerprint: "1:other" });
      deepEqual(await store.bind(other), boundTo(first), "a binding with another fingerprint");
      deepEqual(await store.bind(other), boundTo(first), "the first binding repeated");
    },
  },
  {
    rule: "bind.race",
    name: "lets one of 50 concurrent bindings win and returns its operation and fingerprint to the others",
    check: async (store) => {
      const bindings = Array.from({ length: 50 }, (_, index) => newBinding({ fingerprint: `1:${index}` }));
      const results = await Promise.all(bindings.map((binding) => store.bind(binding)));
      const winners = bindings.filter((_, index) => results[index]?.outcome === "bound");
      equal(winners.length, 1, "number of bindings that won");
      const [winner] = winners;
      for (const result of results) {
        if (result.outcome === "exists")
          deepEqual(result, winner && boundTo(winner), "result of the other bindings");
      }
    },
  },
  {
    rule: "bind.races",
    name: "keeps concurrent bindings of different keys apart",
    check: async (store) => {
      const results = await concurrently(50, async (index) => {
        const binding = newBinding({ key: `key-${index % 10}` });
        return { binding, result: await store.bind(binding) };
      });
      const winners = new Map(
        results
          .filter(({ result }) => result.outcome === "bound")
          .map(({ binding }) => [binding.key, binding.operationId]),
      );
      equal(winners.size, 10, "number of bound keys");
      for (const { binding, result } of results) {
        const operationId = result.outcome === "exists" ? result.operationId : binding.operationId;
        equal(operationId, winners.get(binding.key), `the operation of ${binding.key}`);
      }
    },
  },
  {
    rule: "bind.repeated",
    name: "returns `bound` again to the operation that holds the key, repeatedly and concurrently",
    check: async (store) => {
      const binding = newBinding();
      const results = await concurrently(50, () => store.bind(binding));
      for (const result of results) isOutcome(result, "bound", "binding the key for the same operation");
      deepEqual(await store.bind(newBinding()), boundTo(binding), "a binding by another operation");
      isOutcome(await store.bind(binding), "bound", "repeating the binding of the first operation");
    },
  },
  {
    rule: "bind.tenant",
    name: "keeps the same key of another tenant or definition apart",
    check: async (store) => {
      const first = await bound(store);
      const second = await bound(store, { tenant: "tenant-2" });
      const third = await bound(store, { definition: "reports" });
      for (const binding of [first, second, third]) {
        const { tenant, definition } = binding;
        deepEqual(await store.bind(newBinding({ tenant, definition })), boundTo(binding), "a later binding");
      }
    },
  },
  {
    rule: "bind.separators",
    name: "does not confuse tenant, definition and key when they contain separators",
    check: async (store) => {
      const bindings = [];
      for (const [tenant, definition, key] of CONFUSABLE) {
        bindings.push(await bound(store, { tenant, definition, key }));
      }
      for (const binding of bindings) {
        const { tenant, definition, key } = binding;
        deepEqual(
          await store.bind(newBinding({ tenant, definition, key })),
          boundTo(binding),
          "a later binding",
        );
      }
    },
  },
  {
    rule: "bind.names",
    name: "compares tenants, definitions and keys exactly",
    check: async (store) => {
      for (const part of ["tenant", "definition", "key"] as const) {
        const others = { tenant: `names of ${part}` };
        const bindings = [];
        for (const name of NAMES) bindings.push(await bound(store, { ...others, [part]: name }));
        for (const [index, binding] of bindings.entries()) {
          const later = newBinding({ ...others, [part]: NAMES[index] ?? "" });
          deepEqual(await store.bind(later), boundTo(binding), `a later binding with this ${part}`);
        }
      }
    },
  },
  {
    rule: "bind.tenants",
    name: "distinguishes tenants exactly, up to 255 UTF-16 code units of any script",
    check: async (store) => {
      const bindings = [];
      for (const tenant of TENANTS) bindings.push(await bound(store, { tenant, key: "k".repeat(255) }));
      for (const binding of bindings) {
        const { tenant, key } = binding;
        deepEqual(
          await store.bind(newBinding({ tenant, key })),
          boundTo(binding),
          "a later binding of this tenant",
        );
        await store.release(binding);
        isOutcome(await store.bind(binding), "bound", "binding the released key again");
      }
    },
  },
  {
    rule: "bind.stays",
    name: "keeps a binding until it is released, because bindings never expire",
    needs: ["skipsTime"],
    check: async (store, { pass }) => {
      const binding = await bound(store);
      await pass(365 * 24 * 3_600_000);
      deepEqual(await store.bind(newBinding()), boundTo(binding), "a binding a year later");
    },
  },
];
