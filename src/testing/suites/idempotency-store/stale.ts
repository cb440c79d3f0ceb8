import type { IdempotencyStore } from "../../../ports/idempotency-store.js";
import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { bound, boundTo, type IdempotencyStoreCheck, newBinding } from "./fixtures.js";

async function staleKeys(store: IdempotencyStore, olderThanMs: number, limit = 100): Promise<string[]> {
  return (await store.takeStale({ olderThanMs, limit })).map(({ key }) => key);
}

export const staleChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "stale.age",
    name: "hands out an unchanged binding when it reaches the requested age, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { tenant, definition, key, fingerprint, operationId } = await bound(store, { key: "a:b" });
      await pass(4 * unitMs);
      deepEqual(await staleKeys(store, 5 * unitMs), [], "bindings handed out before that age");
      await pass(unitMs);
      const stale = await store.takeStale({ olderThanMs: 5 * unitMs, limit: 10 });
      deepEqual(
        stale,
        [{ tenant, definition, key, fingerprint, operationId }],
        "bindings handed out at that age",
      );
    },
  },
  {
    rule: "stale.not-renewed",
    name: "counts the age from the first binding, not from repeated or late ones",
    check: async (store, { unitMs, pass }) => {
      const binding = await bound(store);
      await pass(3 * unitMs);
      await store.bind(binding);
      await store.bind(newBinding());
      await pass(2 * unitMs);
      deepEqual(await staleKeys(store, 5 * unitMs), [binding.key], "bindings handed out");
    },
  },
  {
    rule: "stale.again",
    name: "hands out a binding again after the same time if it was not released, and keeps it bound",
    check: async (store, { unitMs, pass }) => {
      const binding = await bound(store);
      await pass(5 * unitMs);
      for (const time of ["second", "third"]) {
        deepEqual(
          await staleKeys(store, 5 * unitMs),
          [binding.key],
          `bindings handed out before the ${time} time`,
        );
        await pass(4 * unitMs);
        deepEqual(await staleKeys(store, 5 * unitMs), [], "bindings handed out too early");
        await pass(unitMs);
      }
      deepEqual(await store.bind(newBinding()), boundTo(binding), "a binding after it was handed out");
    },
  },
  {
    rule: "stale.order",
    name: "hands out the oldest bindings first, up to the limit",
    check: async (store, { unitMs, pass }) => {
      for (const key of ["c", "a", "d", "b"]) {
        await bound(store, { key });
        await pass(unitMs);
      }
      await pass(5 * unitMs);
      deepEqual(
        await staleKeys(store, 5 * unitMs, 3),
        ["c", "a", "d"],
        "bindings handed out with a limit of 3",
      );
      deepEqual(await staleKeys(store, 5 * unitMs, 3), ["b"], "bindings handed out next");
    },
  },
  {
    rule: "stale.race",
    name: "hands each binding to one of many concurrent callers",
    check: async (store, { unitMs, pass }) => {
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
      for (const key of keys) await bound(store, { key });
      await pass(5 * unitMs);
      const taken = (await concurrently(10, () => staleKeys(store, 5 * unitMs, 5))).flat();
      while (taken.length < keys.length) {
        const next = await staleKeys(store, 5 * unitMs);
        if (next.length === 0) break;
        taken.push(...next);
      }
      deepEqual(taken.sort(), keys.sort(), "all bindings handed out");
    },
  },
  {
    rule: "stale.released",
    name: "does not hand out released bindings and counts the age of their successors from the new binding",
    check: async (store, { unitMs, pass }) => {
      await store.release(await bound(store));
      await pass(5 * unitMs);
      deepEqual(await staleKeys(store, 5 * unitMs), [], "bindings handed out after the release");
      const successor = await bound(store);
      await pass(4 * unitMs);
      equal((await staleKeys(store, 5 * unitMs)).length, 0, "number of bindings handed out too early");
      await pass(unitMs);
      const stale = await store.takeStale({ olderThanMs: 5 * unitMs, limit: 10 });
      equal(stale[0]?.operationId, successor.operationId, "the operation of the binding handed out");
    },
  },
];
