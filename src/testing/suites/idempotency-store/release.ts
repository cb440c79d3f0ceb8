import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { boundTo, claimed, type IdempotencyStoreCheck, newClaim } from "./fixtures.js";

export const releaseChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "release.owner",
    name: "frees a key for its owner, so that the next claim wins",
    check: async (store) => {
      const first = await claimed(store);
      await store.release(first);
      const second = await claimed(store, { fingerprint: "1:second" });
      deepEqual(await store.claim(newClaim()), boundTo(second), "the claim after the second one");
    },
  },
  {
    rule: "release.stranger",
    name: "keeps a key that is bound to another operation",
    check: async (store) => {
      const owner = await claimed(store);
      await store.release(newClaim());
      deepEqual(
        await store.claim(newClaim()),
        boundTo(owner),
        "a claim after a release by another operation",
      );
    },
  },
  {
    rule: "release.repeated",
    name: "accepts a repeated release and keeps the claim of a successor",
    check: async (store) => {
      const first = await claimed(store);
      await store.release(first);
      await store.release(first);
      const second = await claimed(store);
      await store.release(first);
      deepEqual(await store.claim(newClaim()), boundTo(second), "a claim after the repeated release");
    },
  },
  {
    rule: "release.apart",
    name: "keeps the same key of another tenant or definition, and accepts a key that was never claimed",
    check: async (store) => {
      const operationId = newClaim().operationId;
      const others = [
        await claimed(store, { operationId, tenant: "tenant-2" }),
        await claimed(store, { operationId, definition: "reports" }),
        await claimed(store, { operationId, key: "key-2" }),
      ];
      await store.release(newClaim({ operationId }));
      for (const other of others) {
        const later = newClaim({ ...other, operationId: newClaim().operationId });
        deepEqual(await store.claim(later), boundTo(other), "a claim after the release of another key");
      }
    },
  },
  {
    rule: "release.race",
    name: "lets one of 50 concurrent claims win a released key",
    check: async (store) => {
      await store.release(await claimed(store));
      const results = await concurrently(50, () => store.claim(newClaim()));
      equal(results.filter(({ outcome }) => outcome === "claimed").length, 1, "number of claims that won");
    },
  },
];
