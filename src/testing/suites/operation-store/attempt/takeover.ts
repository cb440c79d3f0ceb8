import { deepEqual, equal } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { begin, begins, createWorking, GIVEN_BACK, type OperationStoreCheck, RETRIED } from "../fixtures.js";

export const takeoverChecks: readonly OperationStoreCheck[] = [
  {
    rule: "takeover.race",
    name: "lets one of 50 concurrent callers take over a lost attempt",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      const begun = await concurrently(50, () => begins(store, operation.id));
      equal(begun.filter(Boolean).length, 1, "number of attempts started");
    },
  },
  {
    rule: "takeover.repeated",
    name: "reports the lost attempt again when the claim of the new holder is repeated",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      const { lease } = await begin(store, operation.id);
      const again = await begin(store, operation.id, { token: lease.token, repeated: true });
      deepEqual([again.operation.attempt, again.previousLost], [2, true], "attempt and `previousLost`");
    },
  },
  {
    rule: "takeover.given-back",
    name: "still reports a lost attempt after the next attempt is released",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      for (const round of ["the first release", "the second release"]) {
        const begun = await begin(store, operation.id);
        const told = [begun.operation.attempt, begun.previousLost];
        deepEqual(told, [2, true], `attempt and \`previousLost\` before ${round}`);
        await store.settle(begun.lease, GIVEN_BACK);
      }
      equal((await begin(store, operation.id)).previousLost, true, "`previousLost` after two releases");
    },
  },
  {
    rule: "takeover.retried",
    name: "stops reporting a lost attempt after the next one has ended normally",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      const second = await begin(store, operation.id);
      await store.settle(second.lease, RETRIED);
      const third = await begin(store, operation.id);
      deepEqual([third.operation.attempt, third.previousLost], [3, false], "attempt and `previousLost`");
    },
  },
  {
    rule: "takeover.clean",
    name: "does not report retried or released attempts as lost",
    check: async (store) => {
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await createWorking(store);
        await store.settle(lease, settlement);
        equal((await begin(store, operation.id)).previousLost, false, "`previousLost`");
      }
    },
  },
];
