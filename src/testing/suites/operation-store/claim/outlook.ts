import type { Claimed } from "../../../../ports/claim.js";
import { equal, ok } from "../../../expect.js";
import {
  claim,
  createPending,
  createPreparing,
  createWorking,
  LONG_MS,
  type OperationStoreCheck,
  RETRIED,
} from "../fixtures.js";

/** Checks when more becomes due: later than `afterMs`, and at the latest in `inMs`. */
function becomesDue({ nextInMs = Number.POSITIVE_INFINITY }: Claimed, afterMs: number, inMs: number): void {
  ok(
    nextInMs > afterMs && nextInMs <= inMs,
    `\`nextInMs\` is ${nextInMs}, and not ${afterMs + 1} to ${inMs}`,
  );
}

/** Cases about what a claim says of the work that it leaves. */
export const claimOutlookChecks: readonly OperationStoreCheck[] = [
  {
    rule: "claim.nothing",
    name: "a claim that finds nothing knows of no later work, and of none that is blocked",
    check: async (store) => {
      await createPending(store, { definition: "reports" });
      const { nextInMs, blocked, again } = await claim(store);
      equal(nextInMs, undefined, "`nextInMs`");
      equal(blocked || again, false, "`blocked` or `again`");
    },
  },
  {
    rule: "claim.next-delay",
    name: "a claim says when the earliest delayed operation is due",
    check: async (store, { unitMs }) => {
      await createPending(store, { delayMs: LONG_MS });
      await createPending(store, { delayMs: 3 * unitMs });
      const claimed = await claim(store);
      becomesDue(claimed, unitMs, 3 * unitMs);
      equal(claimed.blocked, false, "`blocked`");
    },
  },
  {
    rule: "claim.next-retry",
    name: "a claim says when a retry is due",
    check: async (store, { unitMs }) => {
      const { lease } = await createWorking(store);
      await store.settle(lease, { ...RETRIED, delayMs: 3 * unitMs });
      becomesDue(await claim(store), unitMs, 3 * unitMs);
    },
  },
  {
    rule: "claim.next-lease",
    name: "a claim says when a lease ends, also one that it began",
    check: async (store, { unitMs }) => {
      await createWorking(store, LONG_MS);
      await createPending(store);
      becomesDue(await claim(store, { leaseMs: 3 * unitMs }), unitMs, 3 * unitMs);
    },
  },
  {
    rule: "claim.blocked-limit",
    name: "work without a place is blocked, and becomes due when a lease ends",
    needs: ["limits"],
    check: async (store) => {
      await createPending(store);
      await createPending(store);
      const claimed = await claim(store, { limits: { running: 1 } });
      equal(claimed.blocked, true, "`blocked`");
      becomesDue(claimed, 1, LONG_MS);
    },
  },
  {
    rule: "claim.blocked-lane",
    name: "work that waits for its lane is blocked",
    needs: ["lanes"],
    check: async (store, { unitMs, pass }) => {
      await createPending(store, { lane: "long" });
      await pass(unitMs);
      await createPending(store, { lane: "long" });
      const claimed = await claim(store);
      equal(claimed.blocked, true, "`blocked`");
      becomesDue(claimed, 1, LONG_MS);
    },
  },
  {
    rule: "claim.blocked-suspect",
    name: "a suspect too many is blocked",
    check: async (store, { unitMs, pass }) => {
      await createWorking(store, unitMs);
      await pass(2 * unitMs);
      const { blocked, nextInMs } = await claim(store, { suspects: 0 });
      equal(blocked, true, "`blocked`");
      equal(nextInMs, undefined, "`nextInMs`");
    },
  },
  {
    rule: "claim.blocked-pause",
    name: "work of a paused definition is blocked, and nothing of it becomes due",
    check: async (store, { unitMs }) => {
      await createPending(store);
      await createPending(store, { delayMs: unitMs });
      await store.pause("orders");
      const { begun, blocked, nextInMs } = await claim(store);
      equal(begun.length, 0, "how many begin");
      equal(blocked, true, "`blocked`");
      equal(nextInMs, undefined, "`nextInMs`");
    },
  },
  {
    rule: "claim.without-create",
    name: "an operation that only other workers can finish is neither blocked nor awaited",
    check: async (store, { unitMs, pass }) => {
      await createPreparing(store, unitMs);
      await createPreparing(store, LONG_MS);
      await pass(2 * unitMs);
      const { blocked, nextInMs } = await claim(store, { creates: false });
      equal(blocked, false, "`blocked`");
      equal(nextInMs, undefined, "`nextInMs`");
    },
  },
];
