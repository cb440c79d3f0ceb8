import { deepEqual, equal } from "../../expect.js";
import { whileAhead } from "../operation-store/clock-jumps.js";
import { createEnded } from "../operation-store/fixtures.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

export const clockJumpChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "jump.expired",
    name: "hands out operations that ended before and after a year-long clock jump, each once",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const members = { retentionMs: 5 * time.unitMs };
      const { operation: before } = await createEnded(store, members);
      const { operation: ahead } = await whileAhead(time, () => createEnded(store, members));
      const { operation: after } = await createEnded(store, members);
      await time.pass(5 * time.unitMs);
      const take = async (): Promise<string[]> =>
        (await takeExpiredIds(store)).filter((id) => id !== ahead.id).sort();
      deepEqual(await take(), [before.id, after.id].sort(), "operations handed out");
      deepEqual(await take(), [], "operations handed out again");
    },
  },
  {
    rule: "jump.removed",
    name: "deletes operations that were removed after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (store, time) => {
      const ended = [await createEnded(store), await createEnded(store)];
      const [ahead = "", after = ""] = ended.map(({ operation }) => operation.id);
      const afterMs = time.unitMs;
      await whileAhead(time, () => store.remove([ahead], { afterMs }));
      await store.remove([after], { afterMs });
      await time.pass(afterMs);
      await takeExpiredIds(store);
      equal(await store.get(after, "tenant-1"), undefined, "the operation");
    },
  },
];
