import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  COMPLETED,
  claim,
  createIds,
  createPending,
  createPreparing,
  createWorking,
  GIVEN_BACK,
  idsOf,
  LONG_MS,
  leaseOf,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";

const MANY_PLACES = { runningPerTenant: 100 };

/** Cases about what a claim begins. */
export const claimChecks: readonly OperationStoreCheck[] = [
  {
    rule: "claim.new",
    name: "a claim begins the first attempt of a new operation, with its own token",
    check: async (store) => {
      const operation = await createPending(store);
      const token = newToken();
      const { begun } = await claim(store, { token });
      deepEqual(
        begun.map(({ operation: { id, state, attempt }, previousLost }) => ({
          id,
          state,
          attempt,
          previousLost,
        })),
        [{ id: operation.id, state: "pending", attempt: 1, previousLost: false }],
        "what began",
      );
      isOutcome(
        await store.settle(leaseOf(operation.id, token), COMPLETED),
        "settled",
        "settling with the token",
      );
      deepEqual(idsOf(await claim(store)), [], "what begins after the end");
    },
  },
  {
    rule: "claim.slots",
    name: "a claim begins no more than its limit, and of each definition no more than its slots",
    check: async (store) => {
      await createIds(store, 5);
      await createIds(store, 5, { definition: "reports" });
      const shared = { leaseMs: LONG_MS, suspects: 0 };
      const { begun } = await store.claim({
        token: newToken(),
        limit: 4,
        definitions: [
          { name: "orders", slots: 9, ...shared },
          { name: "reports", slots: 1, ...shared },
        ],
      });
      deepEqual(
        begun.map(({ operation }) => operation.definition).sort(),
        ["orders", "orders", "orders", "reports"],
        "the definitions of what began",
      );
      equal((await claim(store, { slots: 1 })).begun.length, 1, "what one slot begins");
    },
  },
  {
    rule: "claim.definitions",
    name: "a claim leaves definitions alone that it does not name",
    check: async (store) => {
      const names = ["order", "orders2", "__proto__"];
      for (const definition of names) await createIds(store, 1, { definition });
      for (const name of ["orders", "constructor"])
        deepEqual(idsOf(await claim(store, { name })), [], `what began of ${name}`);
      for (const name of names)
        equal((await claim(store, { name })).begun.length, 1, `how many began of ${name}`);
    },
  },
  {
    rule: "claim.once",
    name: "of concurrent claims, one begins each operation",
    check: async (store) => {
      const ids = await createIds(store, 30);
      const claims = await concurrently(6, () => claim(store, { slots: 10 }));
      const begun = claims.flatMap(idsOf).sort();
      deepEqual(begun, [...new Set(begun)], "what the claims began, each once");
      const rest = await claim(store);
      deepEqual([...begun, ...idsOf(rest)].sort(), ids, "what all claims began");
    },
  },
  {
    rule: "claim.due",
    name: "a claim begins delayed and retried operations when they are due, and released ones at once",
    check: async (store, { unitMs, pass }) => {
      const delayed = await createPending(store, { delayMs: 2 * unitMs });
      const retried = await createWorking(store);
      const released = await createWorking(store);
      await store.settle(retried.lease, { ...RETRIED, delayMs: 2 * unitMs });
      await store.settle(released.lease, GIVEN_BACK);
      deepEqual(idsOf(await claim(store)), [released.operation.id], "what is due at once");
      await pass(2 * unitMs);
      deepEqual(idsOf(await claim(store)), [delayed.id, retried.operation.id].sort(), "what is due later");
    },
  },
  {
    rule: "claim.lost",
    name: "a claim begins as many suspects as it may, and says so",
    check: async (store, { unitMs, pass }) => {
      for (let index = 0; index < 3; index += 1) await createWorking(store, unitMs);
      await pass(2 * unitMs);
      deepEqual(idsOf(await claim(store, { suspects: 0 })), [], "what begins without suspects");
      const { begun } = await claim(store, { suspects: 2 });
      deepEqual(
        begun.map(({ operation: { attempt }, previousLost }) => ({ attempt, previousLost })),
        [
          { attempt: 2, previousLost: true },
          { attempt: 2, previousLost: true },
        ],
        "the suspects",
      );
    },
  },
  {
    rule: "claim.suspects",
    name: "a claim begins suspects only of the definitions that may have some",
    check: async (store, { unitMs, pass }) => {
      for (const definition of ["orders", "reports"]) await createWorking(store, unitMs, { definition });
      await pass(2 * unitMs);
      const shared = { slots: 9, leaseMs: LONG_MS };
      const { begun } = await store.claim({
        token: newToken(),
        limit: 9,
        definitions: [
          { name: "orders", suspects: 0, ...shared },
          { name: "reports", suspects: 1, ...shared },
        ],
      });
      deepEqual(
        begun.map(({ operation }) => operation.definition),
        ["reports"],
        "the definitions of what began",
      );
    },
  },
  {
    rule: "claim.released-suspect",
    name: "an operation stays a suspect if its attempt is released",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await pass(2 * unitMs);
      const { lease } = await begin(store, operation.id);
      await store.settle(lease, GIVEN_BACK);
      deepEqual(idsOf(await claim(store, { suspects: 0 })), [], "what begins without suspects");
      equal((await claim(store, { suspects: 1 })).begun[0]?.previousLost, true, "whether it is a suspect");
    },
  },
  {
    rule: "claim.preparing",
    name: "a claim begins operations that are preparing, if the caller creates and the lease of their creator has ended",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createPreparing(store, 2 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins during the lease");
      await pass(3 * unitMs);
      const pending = await createPending(store);
      deepEqual(idsOf(await claim(store, { creates: false })), [pending.id], "what begins without `creates`");
      deepEqual(idsOf(await claim(store)), [operation.id], "what begins");
    },
  },
  {
    rule: "claim.leased",
    name: "a claim begins an operation again when its first or renewed lease ends, not earlier",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, 5 * unitMs);
      await pass(4 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins during the lease");
      await store.renew(lease, { leaseMs: 5 * unitMs });
      await pass(4 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins during the renewed lease");
      await pass(unitMs);
      deepEqual(idsOf(await claim(store, { leaseMs: 5 * unitMs })), [operation.id], "what begins at its end");
      await pass(4 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins during the second lease");
      await pass(unitMs);
      deepEqual(idsOf(await claim(store)), [operation.id], "what begins at its end");
    },
  },
  {
    rule: "claim.hidden",
    name: "a claim begins hidden operations like all others",
    check: async (store) => {
      const [id] = await createIds(store, 1, { hidden: true });
      deepEqual(idsOf(await claim(store)), [id], "what begins");
    },
  },
  {
    rule: "claim.urgent",
    name: "a claim begins more urgent work first, and gives each tenant a turn",
    check: async (store) => {
      const [urgent] = await createIds(store, 1, { tenant: "c", urgency: 0 });
      await createIds(store, 20, { tenant: "a" });
      const [other] = await createIds(store, 1, { tenant: "b" });
      deepEqual(idsOf(await claim(store, { slots: 1 })), [urgent], "the first to begin");
      const { begun } = await claim(store, { slots: 4 });
      equal(begun.length, 4, "how many begin");
      equal(
        begun.some(({ operation }) => operation.id === other),
        true,
        "whether the second tenant has a turn",
      );
    },
  },
  {
    rule: "claim.cancelled",
    name: "a claim ends operations that are being cancelled and whose attempt was lost, and needs no slot for it",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      equal(await store.requestCancel(operation.id, operation.tenant), "requested", "cancelling");
      await pass(2 * unitMs);
      const waiting = await createPending(store);
      let claimed = await claim(store, { suspects: 0, slots: 1 });
      const begun = [...idsOf(claimed)];
      const ended = [...claimed.ended];
      while (claimed.again) {
        claimed = await claim(store, { suspects: 0, slots: 1 });
        begun.push(...idsOf(claimed));
        ended.push(...claimed.ended);
      }
      deepEqual(ended, [{ id: operation.id, definition: "orders" }], "what ended");
      deepEqual(begun, [waiting.id], "what began");
      equal((await read(store, operation)).state, "failed", "state of the cancelled operation");
    },
  },
  {
    rule: "claim.cancelled-beside",
    name: "claims end operations that are being cancelled although there is other work for all slots",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await store.requestCancel(operation.id, operation.tenant);
      await pass(2 * unitMs);
      await createIds(store, 12);
      const ended: string[] = [];
      for (let call = 0; call < 3; call += 1)
        ended.push(...(await claim(store, { slots: 3 })).ended.map(({ id }) => id));
      deepEqual(ended, [operation.id], "what three claims ended");
    },
  },
  {
    rule: "claim.overdue",
    name: "claims begin no operation that is overdue, and pass many of them",
    needs: ["deadlines"],
    check: async (store, { unitMs, pass }) => {
      await createIds(store, 30, { startWithinMs: unitMs });
      await pass(2 * unitMs);
      const inTime = await createIds(store, 2, { startWithinMs: LONG_MS });
      const begun: string[] = [];
      for (let call = 0; call < 10; call += 1)
        begun.push(
          ...idsOf(await claim(store, { slots: 10, limits: call % 2 === 0 ? undefined : MANY_PLACES })),
        );
      deepEqual(begun.sort(), inTime, "what ten claims began");
    },
  },
];
