import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { bound, boundTo, type IdempotencyStoreCheck, newBinding } from "./fixtures.js";

export const releaseChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "release.owner",
    name: "frees a key for its owner, so that the next binding wins",
    check: async (store) => {
      const first = await bound(store);
      await store.release(first);
      const second = await bound(store, { fingerprint: "1:second" });
      deepEqual(await store.bind(newBinding()), boundTo(second), "the binding after the second one");
    },
  },
  {
    rule: "release.stranger",
    name: "keeps a key that is bound to another operation",
    check: async (store) => {
      const owner = await bound(store);
      await store.release(newBinding());
      deepEqual(
        await store.bind(newBinding()),
        boundTo(owner),
        "a binding after a release by another operation",
      );
    },
  },
  {
    rule: "release.repeated",
    name: "accepts a repeated release and keeps the binding of a successor",
    check: async (store) => {
      const first = await bound(store);
      await store.release(first);
      await store.release(first);
      const second = await bound(store);
      await store.release(first);
      deepEqual(await store.bind(newBinding()), boundTo(second), "a binding after the repeated release");
    },
  },
  {
    rule: "release.apart",
    name: "keeps the same key of another tenant or definition, and accepts a key that was never bound",
    check: async (store) => {
      const operationId = newBinding().operationId;
      const others = [
        await bound(store, { operationId, tenant: "tenant-2" }),
        await bound(store, { operationId, definition: "reports" }),
        await bound(store, { operationId, key: "key-2" }),
      ];
      await store.release(newBinding({ operationId }));
      for (const other of others) {
        const later = newBinding({ ...other, operationId: newBinding().operationId });
        deepEqual(await store.bind(later), boundTo(other), "a binding after the release of another key");
      }
    },
  },
  {
    rule: "release.race",
    name: "lets one of 50 concurrent bindings win a released key",
    check: async (store) => {
      await store.release(await bound(store));
      const results = await concurrently(50, () => store.bind(newBinding()));
      equal(results.filter(({ outcome }) => outcome === "bound").length, 1, "number of bindings that won");
    },
  },
];
