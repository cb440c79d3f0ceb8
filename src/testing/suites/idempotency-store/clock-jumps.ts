import { deepEqual } from "../../expect.js";
import { claimed, type IdempotencyStoreCheck } from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

export const clockJumpChecks: readonly IdempotencyStoreCheck[] = [
  {
    rule: "jump.stale",
    name: "hands out claims that were made before and after the clock was a year ahead, each once",
    needs: ["jumpsBack"],
    check: async (store, { unitMs, pass, jump }) => {
      await claimed(store, { key: "before" });
      await jump(YEAR_MS);
      await claimed(store, { key: "ahead" });
      await jump(-YEAR_MS);
      await claimed(store, { key: "after" });
      await pass(5 * unitMs);
      const take = async (): Promise<string[]> =>
        (await store.takeStale({ olderThanMs: 5 * unitMs, limit: 10 }))
          .map(({ key }) => key)
          .filter((key) => key !== "ahead")
          .sort();
      deepEqual(await take(), ["after", "before"], "what is handed out");
      deepEqual(await take(), [], "what is handed out again");
    },
  },
];
