import type { NewOperation } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  COMPLETED,
  createPending,
  createPreparing,
  createWorking,
  GIVEN_BACK,
  LONG_MS,
  newToken,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";
import { claim, claimOf, idsOf, leaseOf } from "./fixtures.js";

async function create(
  store: OperationStore,
  count: number,
  members: Partial<NewOperation> = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await createPending(store, members)).id);
  return ids.sort();
}

/** Cases about what a claim begins. */
export const claimChecks: readonly OperationStoreCheck[] = [
  {
    rule: "claim.new",
    name: "a claim begins the first attempt of a new operation, with its own token",
    needs: ["claim"],
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
    needs: ["claim"],
    check: async (store) => {
      await create(store, 5);
      await create(store, 5, { definition: "reports" });
      const shared = { leaseMs: LONG_MS, suspects: 0 };
      const { begun } = await claimOf(store, {
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
    needs: ["claim"],
    check: async (store) => {
      await create(store, 1, { definition: "reports" });
      deepEqual(idsOf(await claim(store)), [], "what began");
    },
  },
  {
    rule: "claim.once",
    name: "of concurrent claims, one begins each operation",
    needs: ["claim"],
    check: async (store) => {
      const ids = await create(store, 30);
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
    needs: ["claim"],
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
    needs: ["claim"],
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
    rule: "claim.released-suspect",
    name: "an operation stays a suspect if its attempt is released",
    needs: ["claim"],
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
    needs: ["claim"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createPreparing(store, 2 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what begins during the lease");
      await pass(3 * unitMs);
      deepEqual(idsOf(await claim(store, { creates: false })), [], "what begins without `creates`");
      deepEqual(idsOf(await claim(store)), [operation.id], "what begins");
    },
  },
  {
    rule: "claim.urgent",
    name: "a claim begins more urgent work first, and gives each tenant a turn",
    needs: ["claim"],
    check: async (store) => {
      const [urgent] = await create(store, 1, { tenant: "c", urgency: 0 });
      await create(store, 20, { tenant: "a" });
      const [other] = await create(store, 1, { tenant: "b" });
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
    needs: ["claim"],
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
    needs: ["claim"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs);
      await store.requestCancel(operation.id, operation.tenant);
      await pass(2 * unitMs);
      await create(store, 12);
      const ended: string[] = [];
      for (let call = 0; call < 3; call += 1)
        ended.push(...(await claim(store, { slots: 3 })).ended.map(({ id }) => id));
      deepEqual(ended, [operation.id], "what three claims ended");
    },
  },
  {
    rule: "claim.overdue",
    name: "a claim begins no operation that is overdue",
    needs: ["claim", "deadlines"],
    check: async (store, { unitMs, pass }) => {
      await createPending(store, { startWithinMs: unitMs });
      await pass(2 * unitMs);
      deepEqual(idsOf(await claim(store)), [], "what began");
    },
  },
  {
    rule: "claim.repeated",
    name: "a repeated claim returns the attempts that the first one began, and begins no others",
    needs: ["claim"],
    check: async (store) => {
      const [first] = await create(store, 1);
      const token = newToken();
      await claim(store, { token });
      await create(store, 1);
      const { begun } = await claim(store, { token, repeated: true });
      deepEqual(
        begun.map(({ operation: { id, attempt } }) => ({ id, attempt })),
        [{ id: first, attempt: 1 }],
        "what the repeated claim returns",
      );
    },
  },
  {
    rule: "claim.repeated-ended",
    name: "a repeated claim leaves out attempts that have ended or lost their lease",
    needs: ["claim"],
    check: async (store, { unitMs, pass }) => {
      await create(store, 2);
      const token = newToken();
      const { begun } = await claim(store, { token, leaseMs: 2 * unitMs });
      const repeat = () => claim(store, { token, leaseMs: 2 * unitMs, repeated: true });
      const [ended] = begun.map(({ operation }) => operation.id);
      await store.settle(leaseOf(ended ?? "", token), COMPLETED);
      equal((await repeat()).begun.length, 1, "those that are left");
      await pass(3 * unitMs);
      deepEqual(idsOf(await repeat()), [], "those with a lease");
    },
  },
];
