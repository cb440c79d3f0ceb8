import { deepEqual } from "../../expect.js";
import { KEYS } from "../contents.js";
import { bound, boundTo, type IdempotencyStoreCheck, newBinding } from "./fixtures.js";

export const contentChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "contents.bound",
    name: "stores keys of all printable ASCII characters exactly and keeps them apart",
    check: async (store) => {
      const bindings = await Promise.all(KEYS.map((key) => bound(store, { key })));
      for (const binding of bindings) {
        const later = newBinding({ key: binding.key, fingerprint: "1:other" });
        deepEqual(await store.bind(later), boundTo(binding), "a later binding of the key");
      }
      const stale = await store.takeStale({ olderThanMs: 0, limit: KEYS.length });
      deepEqual(stale.map(({ key }) => key).sort(), [...KEYS].sort(), "the keys handed out");
      for (const binding of bindings) await store.release(binding);
      for (const key of KEYS) await bound(store, { key });
    },
  },
];
