import { MAX_DURATION_MS } from "../../../contract/option-values.js";
import { deepEqual, equal } from "../../expect.js";
import { createEnded, read } from "../operation-store/fixtures.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

export const longestDurationChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "retention.longest",
    name: "keeps an operation with a retention of 100 years",
    check: async (store) => {
      await createEnded(store, { retentionMs: MAX_DURATION_MS });
      const { operation: short } = await createEnded(store, { retentionMs: 0 });
      deepEqual(await takeExpiredIds(store), [short.id], "operations handed out");
    },
  },
  {
    rule: "remove.longest",
    name: "keeps an operation that is to be removed in 100 years",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createEnded(store);
      await store.remove([operation.id], { afterMs: MAX_DURATION_MS });
      await pass(unitMs);
      await takeExpiredIds(store);
      equal((await read(store, operation)).state, "completed", "the state");
    },
  },
];
