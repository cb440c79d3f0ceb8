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
      deepEqual(await store.claim(newClaim()), boundTo(second), "a claim after the second");
    },
  },
  {
    rule: "release.stranger",
    name: "leaves a key that is bound to another operation",
    check: async (store) => {
      const owner = await claimed(store);
      await store.release(newClaim());
      deepEqual(await store.claim(newClaim()), boundTo(owner), "a claim after a stranger's release");
    },
  },
  {
    rule: "release.repeated",
    name: "may be repeated, and then leaves the claim of a successor",
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
    name: "leaves the same key of another tenant or definition, and a key that nobody claimed",
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
    name: "lets one of 50 concurrent claims win a key that was released",
    check: async (store) => {
      await store.release(await claimed(store));
      const results = await concurrently(50, () => store.claim(newClaim()));
      equal(
        results.filter(({ outcome }) => outcome === "claimed").length,
        1,
        "how many have claimed the key",
      );
    },
  },
];
