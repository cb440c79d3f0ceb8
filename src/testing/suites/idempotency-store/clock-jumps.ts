import { deepEqual } from "../../expect.js";
import { bound, type IdempotencyStoreCheck } from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

export const clockJumpChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "jump.stale",
    name: "hands out bindings from before and after a year-long clock jump, each once",
    needs: ["jumpsBack"],
    check: async (store, { unitMs, pass, jump }) => {
      await bound(store, { key: "before" });
      await jump(YEAR_MS);
      await bound(store, { key: "ahead" });
      await jump(-YEAR_MS);
      await bound(store, { key: "after" });
      await pass(5 * unitMs);
      const take = async (): Promise<string[]> =>
        (await store.takeStale({ olderThanMs: 5 * unitMs, limit: 10 }))
          .map(({ key }) => key)
          .filter((key) => key !== "ahead")
          .sort();
      deepEqual(await take(), ["after", "before"], "bindings handed out");
      deepEqual(await take(), [], "bindings handed out again");
    },
  },
];
