import { deepEqual } from "../../expect.js";
import { KEYS } from "../contents.js";
import { boundTo, claimed, type IdempotencyStoreCheck, newClaim } from "./fixtures.js";

export const contentChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "contents.claim",
    name: "stores keys of all printable ASCII characters exactly and keeps them apart",
    check: async (store) => {
      const claims = await Promise.all(KEYS.map((key) => claimed(store, { key })));
      for (const claim of claims) {
        const later = newClaim({ key: claim.key, fingerprint: "1:other" });
        deepEqual(await store.claim(later), boundTo(claim), "a later claim of the key");
      }
      const stale = await store.takeStale({ olderThanMs: 0, limit: KEYS.length });
      deepEqual(stale.map(({ key }) => key).sort(), [...KEYS].sort(), "the keys handed out");
      for (const claim of claims) await store.release(claim);
      for (const key of KEYS) await claimed(store, { key });
    },
  },
];
