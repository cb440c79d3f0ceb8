import { MAX_DURATION_MS } from "../../../contract/option-values.js";
import { deepEqual } from "../../expect.js";
import { bound, type IdempotencyStoreCheck } from "./fixtures.js";

export const longestDurationChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "stale.longest",
    name: "hands out no binding for an age of 100 years, and every binding for an age of 0",
    check: async (store) => {
      const binding = await bound(store);
      const takeStale = (olderThanMs: number) => store.takeStale({ olderThanMs, limit: 10 });
      deepEqual(await takeStale(MAX_DURATION_MS), [], "bindings that are 100 years old");
      deepEqual(await takeStale(0), [binding], "bindings of any age");
    },
  },
];
