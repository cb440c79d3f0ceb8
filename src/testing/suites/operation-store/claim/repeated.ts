import { deepEqual, equal } from "../../../expect.js";
import {
  COMPLETED,
  claim,
  createIds,
  idsOf,
  leaseOf,
  newToken,
  type OperationStoreCheck,
} from "../fixtures.js";

/** Cases about claims that are repeated because their answer was lost. */
export const repeatedClaimChecks: readonly OperationStoreCheck[] = [
  {
    rule: "claim.repeated",
    name: "a repeated claim returns the attempts that the first one began, and begins no others",
    check: async (store) => {
      const [first] = await createIds(store, 1);
      const token = newToken();
      await claim(store, { token });
      await createIds(store, 1);
      const { begun } = await claim(store, { token, repeated: true });
      deepEqual(
        begun.map(({ operation: { id, attempt } }) => ({ id, attempt })),
        [{ id: first, attempt: 1 }],
        "what the repeated claim returns",
      );
    },
  },
  {
    rule: "claim.repeated-nothing",
    name: "a repeated claim begins nothing if the first one began nothing",
    check: async (store) => {
      const token = newToken();
      await claim(store, { token });
      const created = await createIds(store, 1);
      deepEqual(idsOf(await claim(store, { token, repeated: true })), [], "what the repeated claim returns");
      deepEqual(idsOf(await claim(store)), created, "what the next claim begins");
    },
  },
  {
    rule: "claim.repeated-late",
    name: "a repeated claim returns its attempts although others were repeated or made since",
    check: async (store) => {
      await createIds(store, 3);
      const [older, newer] = [newToken(), newToken()];
      const first = idsOf(await claim(store, { token: older, slots: 1 }));
      const second = idsOf(await claim(store, { token: newer, slots: 1 }));
      deepEqual(idsOf(await claim(store, { token: older, repeated: true })), first, "the older attempts");
      deepEqual(idsOf(await claim(store, { token: newer, repeated: true })), second, "the newer attempts");
    },
  },
  {
    rule: "claim.repeated-ended",
    name: "a repeated claim leaves out attempts that have ended or lost their lease",
    check: async (store, { unitMs, pass }) => {
      await createIds(store, 2);
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
