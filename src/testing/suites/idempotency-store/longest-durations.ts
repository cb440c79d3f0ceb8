import { MAX_DURATION_MS } from "../../../contract/options.js";
import { deepEqual } from "../../expect.js";
import { claimed, type IdempotencyStoreCheck } from "./fixtures.js";

export const longestDurationChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "stale.longest",
    name: "hands out no claim for an age of 100 years, and every claim for an age of 0",
    check: async (store) => {
      const claim = await claimed(store);
      const takeStale = (olderThanMs: number) => store.takeStale({ olderThanMs, limit: 10 });
      deepEqual(await takeStale(MAX_DURATION_MS), [], "claims that are 100 years old");
      deepEqual(await takeStale(0), [claim], "claims of any age");
    },
  },
];
