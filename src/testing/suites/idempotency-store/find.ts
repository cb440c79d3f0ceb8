import { deepEqual, equal } from "../../expect.js";
import { bound, type IdempotencyStoreCheck, newBinding } from "./fixtures.js";

export const findChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "find.bound",
    name: "finds the operation of a key, and nothing for a key that is free, released, or of another tenant or definition",
    check: async (store) => {
      const binding = await bound(store);
      const found = await store.find(binding);
      const { operationId, fingerprint } = binding;
      deepEqual(
        { operationId: found?.operationId, fingerprint: found?.fingerprint },
        { operationId, fingerprint },
        "the operation of the key",
      );
      for (const other of [{ key: "key-2" }, { tenant: "tenant-2" }, { definition: "invoices" }])
        equal(await store.find(newBinding(other)), undefined, `the operation of ${JSON.stringify(other)}`);
      await store.release(binding);
      equal(await store.find(binding), undefined, "the operation of a released key");
    },
  },
];
