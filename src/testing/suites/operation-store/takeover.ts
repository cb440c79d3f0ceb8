import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import {
  begin,
  createWorking,
  GIVEN_BACK,
  knock,
  LONG_MS,
  type OperationStoreCheck,
  RETRIED,
} from "./fixtures.js";

export const takeoverChecks: readonly OperationStoreCheck[] = [
  {
    rule: "takeover.boundary",
    name: "keeps others out up to the end of the lease, and lets them in exactly then",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, 5 * unitMs);
      equal(await knock(store, operation.id), "busy", "beginning at once");
      await pass(4 * unitMs);
      equal(await knock(store, operation.id), "busy", "beginning one step before the end of the lease");
      await pass(unitMs);
      const begun = await begin(store, operation.id);
      deepEqual([begun.operation.attempt, begun.previousLost], [2, true], "attempt and `previousLost`");
    },
  },
  {
    rule: "takeover.after",
    name: "lets others in after the lease, too",
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
      const outcomes = await concurrently(50, () => knock(store, operation.id));
      equal(outcomes.filter((outcome) => outcome === "begun").length, 1, "how many have begun");
      equal(outcomes.filter((outcome) => outcome === "busy").length, 49, "how many were told `busy`");
    },
  },
  {
    rule: "takeover.repeated",
    name: "tells the new holder again that the attempt before was lost",
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
    name: "remembers a lost attempt when the one after it is given back",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(unitMs);
      for (const round of ["the first give-back", "the second give-back"]) {
        const begun = await begin(store, operation.id);
        const told = [begun.operation.attempt, begun.previousLost];
        deepEqual(told, [2, true], `attempt and \`previousLost\` before ${round}`);
        await store.settle(begun.lease, GIVEN_BACK);
      }
      equal((await begin(store, operation.id)).previousLost, true, "`previousLost` after two give-backs");
    },
  },
  {
    rule: "takeover.retried",
    name: "forgets a lost attempt when the one after it ended by itself",
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
    name: "does not call an attempt lost that was retried or given back",
    check: async (store) => {
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await createWorking(store);
        await store.settle(lease, settlement);
        equal((await begin(store, operation.id)).previousLost, false, "`previousLost`");
      }
    },
  },
];
