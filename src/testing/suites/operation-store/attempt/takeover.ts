import { deepEqual, equal } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  createWorking,
  GIVEN_BACK,
  LONG_MS,
  type OperationStoreCheck,
  RETRIED,
  tryBegin,
} from "../fixtures.js";

export const takeoverChecks: readonly OperationStoreCheck[] = [
  {
    rule: "takeover.boundary",
    name: "keeps other workers out until the lease ends and lets them in exactly then",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, 5 * unitMs);
      equal(await tryBegin(store, operation.id), "busy", "beginning immediately");
      await pass(4 * unitMs);
      equal(await tryBegin(store, operation.id), "busy", "beginning one step before the end of the lease");
      await pass(unitMs);
      const begun = await begin(store, operation.id);
      deepEqual([begun.operation.attempt, begun.previousLost], [2, true], "attempt and `previousLost`");
    },
  },
  {
    rule: "takeover.after",
    name: "lets other workers take over later too",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, 5 * unitMs);
      await pass(6 * unitMs);
      equal((await begin(store, operation.id)).operation.attempt, 2, "the attempt");
    },
  },
  {
    rule: "takeover.race",
    name: "lets one of 50 concurrent callers take over a lost attempt",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      const outcomes = await concurrently(50, () => tryBegin(store, operation.id));
      equal(outcomes.filter((outcome) => outcome === "begun").length, 1, "number of attempts started");
      equal(outcomes.filter((outcome) => outcome === "busy").length, 49, "number of callers that got `busy`");
    },
  },
  {
    rule: "takeover.repeated",
    name: "reports the lost attempt again when the new holder begins with the same token",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      const { lease } = await begin(store, operation.id);
      const again = await store.beginAttempt(operation.id, { token: lease.token, leaseMs: LONG_MS });
      const told = again.outcome === "begun" ? [again.operation.attempt, again.previousLost] : again;
      deepEqual(told, [2, true], "attempt and `previousLost`");
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
