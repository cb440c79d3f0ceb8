import { equal, isOutcome } from "../../expect.js";
import { concurrently } from "../port-case.js";
import {
  begin,
  COMPLETED,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  GIVEN_BACK,
  knock,
  LONG_MS,
  newOperation,
  newToken,
  type OperationStoreCheck,
  PREPARED,
  RETRIED,
} from "./fixtures.js";

export const followUpChecks: readonly OperationStoreCheck[] = [
  {
    rule: "follow-ups.created",
    name: "creates follow-ups together with the terminal state: due at once, and hidden where they say so",
    check: async (store) => {
      for (const ending of [COMPLETED, FAILED]) {
        const { lease } = await createWorking(store);
        const hidden = newOperation({ definition: "notices", hidden: true });
        const shown = newOperation({ definition: "notices", input: "1" });
        isOutcome(await store.settle(lease, ending, [hidden, shown]), "settled", "settling with follow-ups");
        equal(await store.get(hidden.id, hidden.scope), undefined, "a hidden follow-up");
        equal((await store.get(shown.id, shown.scope))?.input, "1", "the input of a follow-up");
        const begun = await begin(store, hidden.id);
        equal(begun.operation.definition, "notices", "the definition of a follow-up");
      }
    },
  },
  {
    rule: "follow-ups.exists",
    name: "keeps an operation that has the id of a follow-up already, and creates the others",
    check: async (store) => {
      const { lease } = await createWorking(store);
      const known = await createPending(store, { input: '"first"' });
      const other = newOperation();
      const settled = await store.settle(lease, COMPLETED, [{ ...known, input: '"second"' }, other]);
      isOutcome(settled, "settled", "settling with follow-ups");
      equal((await store.get(known.id, known.scope))?.input, '"first"', "the input of the known one");
      equal(await knock(store, other.id), "begun", "beginning the new one");
    },
  },
  {
    rule: "follow-ups.repeated",
    name: "creates a follow-up once, however often and at once the settle is repeated",
    check: async (store) => {
      const { lease } = await createWorking(store);
      const followUp = newOperation({ hidden: true });
      const results = await concurrently(50, () => store.settle(lease, COMPLETED, [followUp]));
      for (const result of results) isOutcome(result, "settled", "settling with a follow-up");
      const begun = await begin(store, followUp.id);
      isOutcome(await store.settle(lease, COMPLETED, [followUp]), "settled", "repeating the settle later");
      isOutcome(await store.renew(begun.lease, { leaseMs: LONG_MS }), "renewed", "renewing the follow-up");
    },
  },
  {
    rule: "follow-ups.lost",
    name: "creates no follow-up for a settle that is lost",
    check: async (store) => {
      const { lease } = await createWorking(store);
      const followUp = newOperation({ hidden: true });
      const stranger = { ...lease, token: newToken() };
      isOutcome(await store.settle(stranger, COMPLETED, [followUp]), "lost", "settling as a stranger");
      equal(await knock(store, followUp.id), "unknown", "beginning the follow-up");
    },
  },
  {
    rule: "follow-ups.terminal-only",
    name: "creates no follow-up for a settle that ends nothing",
    check: async (store) => {
      const followUp = newOperation({ hidden: true });
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const { lease } = await createWorking(store);
        await store.settle(lease, settlement, [followUp]);
        equal(await knock(store, followUp.id), "unknown", "beginning the follow-up of a retry");
      }
      const { lease } = await createPreparing(store, LONG_MS);
      await store.settle(lease, PREPARED, [followUp]);
      equal(await knock(store, followUp.id), "unknown", "beginning the follow-up of what was prepared");
    },
  },
];
