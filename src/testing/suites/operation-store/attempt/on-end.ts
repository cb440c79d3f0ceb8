import type { FollowUp } from "../../../../contract/operation.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  begins,
  COMPLETED,
  claim,
  createPending,
  createPreparing,
  createWorking,
  GIVEN_BACK,
  idsOf,
  LONG_MS,
  newId,
  newToken,
  type OperationStoreCheck,
  PREPARED,
  RETRIED,
  read,
} from "../fixtures.js";
import { ENDINGS } from "./endings.js";

export function newFollowUp(members: Partial<FollowUp> = {}): FollowUp {
  const retention = { retentionMs: 1_000, failedRetentionMs: 2_000 };
  return { id: newId(), definition: "notices", input: '{"notice":1}', ...retention, ...members };
}

/** Every way to end creates the follow-up. An existing operation with its id stays unchanged. */
const endChecks: readonly OperationStoreCheck[] = ENDINGS.map(({ rule, way, end }) => ({
  rule: `on-end.${rule}`,
  name: `creates the follow-up of an operation that ${way}, unless its id exists`,
  check: async (store, time) => {
    const onEnd = newFollowUp();
    await end(store, { onEnd }, time);
    equal(await store.get(onEnd.id, "tenant-1"), undefined, "the hidden follow-up");
    const { createdAt: _, ...created } = (await begin(store, onEnd.id, { name: onEnd.definition })).operation;
    const expected = { ...onEnd, tenant: "tenant-1", hidden: true, state: "pending", attempt: 1 };
    deepEqual(created, expected, "the follow-up in the attempt of a worker");
    const known = await createPending(store, { input: '"first"' });
    const before = await read(store, known);
    await end(store, { onEnd: newFollowUp({ id: known.id }) }, time);
    deepEqual(await read(store, known), before, "the existing operation with that id");
  },
}));

export const onEndChecks: readonly OperationStoreCheck[] = [
  ...endChecks,
  {
    rule: "on-end.once",
    name: "creates the follow-up once although the end is repeated, also after the follow-up has ended",
    check: async (store) => {
      const onEnd = newFollowUp();
      const { lease } = await createWorking(store, LONG_MS, { onEnd });
      for (const result of await concurrently(50, () => store.settle(lease, COMPLETED)))
        isOutcome(result, "settled", "settling");
      const followUp = await begin(store, onEnd.id, { name: onEnd.definition });
      isOutcome(await store.settle(lease, COMPLETED), "settled", "repeating the settle");
      isOutcome(await store.renew(followUp.lease, { leaseMs: LONG_MS }), "renewed", "renewing the follow-up");
      isOutcome(await store.settle(followUp.lease, COMPLETED), "settled", "settling the follow-up");
      isOutcome(await store.settle(lease, COMPLETED), "settled", "repeating the settle later");
      equal(await begins(store, onEnd.id, { name: onEnd.definition }), false, "beginning the follow-up");
    },
  },
  {
    rule: "on-end.not-before",
    name: "creates no follow-up for an operation that has not ended",
    check: async (store) => {
      const onEnd = newFollowUp();
      const { operation, lease } = await createPreparing(store, LONG_MS, { onEnd });
      const isMissing = async (what: string): Promise<void> =>
        equal(
          await begins(store, onEnd.id, { name: onEnd.definition }),
          false,
          `beginning the follow-up of an operation that ${what}`,
        );
      await isMissing("is preparing");
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling as prepared");
      await isMissing("is prepared");
      for (const settlement of [RETRIED, GIVEN_BACK]) {
        const attempt = await begin(store, operation.id);
        isOutcome(await store.settle(attempt.lease, settlement), "settled", "settling as retry");
        await isMissing("is retried");
      }
      const attempt = await begin(store, operation.id);
      const stranger = { ...attempt.lease, token: newToken() };
      isOutcome(await store.settle(stranger, COMPLETED), "lost", "settling with an unknown token");
      equal(await store.requestCancel(operation.id, operation.tenant), "requested", "cancelling");
      await isMissing("has a requested cancellation");
    },
  },
  {
    rule: "on-end.due",
    name: "makes a follow-up due at once",
    check: async (store) => {
      const onEnd = newFollowUp();
      const { id, tenant } = await createPending(store, { onEnd });
      deepEqual(idsOf(await claim(store, { name: "notices" })), [], "what begins before the end");
      await store.requestCancel(id, tenant);
      deepEqual(idsOf(await claim(store, { name: "notices" })), [onEnd.id], "what begins after it");
    },
  },
];
