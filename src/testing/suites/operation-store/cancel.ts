import { CANCELLED } from "../../../contract/problem.js";
import { deepEqual, equal, isOutcome, ok } from "../../expect.js";
import {
  begin,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  knock,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "./fixtures.js";

export const cancelChecks: readonly OperationStoreCheck[] = [
  {
    rule: "cancel.idle",
    name: "fails an operation that nobody works on, at once",
    check: async (store) => {
      const operation = await createPending(store);
      equal(await store.requestCancel(operation.id, operation.tenant), "cancelled", "cancelling");
      const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "failed", attempt: 0, error: CANCELLED }, "the operation");
      ok(settledAt >= createdAt, "`settledAt` is not before `createdAt`");
      equal(await knock(store, operation.id), "terminal", "beginning it");
    },
  },
  {
    rule: "cancel.waiting",
    name: "fails an operation that waits for its retry",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: LONG_MS, countAttempt: true });
      equal(await store.requestCancel(operation.id, operation.tenant), "cancelled", "cancelling");
      equal((await read(store, operation)).error, CANCELLED, "the error");
    },
  },
  {
    rule: "cancel.expired",
    name: "fails an operation whose lease is over, and not one step sooner",
    check: async (store, { unitMs, pass }) => {
      const early = await createWorking(store, 5 * unitMs);
      const late = await createWorking(store, 5 * unitMs);
      await pass(4 * unitMs);
      equal(
        await store.requestCancel(early.operation.id, "tenant-1"),
        "requested",
        "cancelling under a lease",
      );
      await pass(unitMs);
      equal(
        await store.requestCancel(late.operation.id, "tenant-1"),
        "cancelled",
        "cancelling after the lease",
      );
      await store.settle(late.lease, COMPLETED);
      const { state, error, result } = await read(store, late.operation);
      deepEqual([state, error, result], ["failed", CANCELLED, undefined], "what late work left of it");
    },
  },
  {
    rule: "cancel.unseen",
    name: "knows no operation that `get` would not show to this tenant, and marks none",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const { operation: hidden, lease: hiddenLease } = await createWorking(store, LONG_MS, { hidden: true });
      equal(await store.requestCancel(newId(), "tenant-1"), "unknown", "cancelling an unknown operation");
      equal(await store.requestCancel(operation.id, "tenant-2"), "unknown", "cancelling another tenant's");
      equal(await store.requestCancel(hidden.id, "tenant-1"), "unknown", "cancelling a hidden one");
      for (const held of [lease, hiddenLease]) {
        const renewed = await store.renew(held, { leaseMs: LONG_MS });
        deepEqual(renewed, { outcome: "renewed", cancelRequested: false }, "renewing after it");
      }
    },
  },
  {
    rule: "cancel.preparing",
    name: "knows no operation that is preparing, whether its lease is live or not",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, unitMs);
      equal(await store.requestCancel(operation.id, operation.tenant), "unknown", "cancelling under a lease");
      await pass(unitMs);
      equal(await store.requestCancel(operation.id, operation.tenant), "unknown", "cancelling after it");
      isOutcome(await store.settle(lease, PREPARED), "settled", "preparing it after all");
      const { lease: work } = await begin(store, operation.id);
      const renewed = await store.renew(work, { leaseMs: LONG_MS });
      deepEqual(renewed, { outcome: "renewed", cancelRequested: false }, "renewing its first attempt");
    },
  },
  {
    rule: "cancel.terminal",
    name: "changes nothing that has ended",
    check: async (store) => {
      for (const ending of [COMPLETED, FAILED]) {
        const { operation } = await createEnded(store, {}, ending);
        const before = await read(store, operation);
        equal(await store.requestCancel(operation.id, operation.tenant), "terminal", "cancelling");
        deepEqual(await read(store, operation), before, "the ended operation");
      }
      const cancelled = await createPending(store);
      await store.requestCancel(cancelled.id, cancelled.tenant);
      equal(await store.requestCancel(cancelled.id, cancelled.tenant), "terminal", "cancelling twice");
    },
  },
  {
    rule: "cancel.live",
    name: "marks an operation under a live lease, which every later renewal brings to its holder",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      for (const time of ["first", "second"]) {
        equal(
          await store.requestCancel(operation.id, operation.tenant),
          "requested",
          `cancelling, ${time} time`,
        );
        const renewed = await store.renew(lease, { leaseMs: LONG_MS });
        deepEqual(renewed, { outcome: "renewed", cancelRequested: true }, `renewing, ${time} time`);
      }
      equal((await read(store, operation)).state, "pending", "the state");
    },
  },
  {
    rule: "cancel.beaten",
    name: "is beaten by work that completes, or that fails with an error of its own",
    check: async (store) => {
      for (const ending of [COMPLETED, FAILED]) {
        const { operation, lease } = await createWorking(store);
        await store.requestCancel(operation.id, operation.tenant);
        const settled = isOutcome(await store.settle(lease, ending), "settled", "settling after the mark");
        equal(settled.state, ending.to, "the state in the answer");
        const { state, error } = await read(store, operation);
        const own = ending.to === "failed" ? ending.error : undefined;
        deepEqual([state, error], [ending.to, own], "state and error");
      }
    },
  },
  {
    rule: "cancel.retried",
    name: "makes a retry fail instead, counted or given back",
    check: async (store) => {
      for (const countAttempt of [true, false]) {
        const { operation, lease } = await createWorking(store);
        await store.requestCancel(operation.id, operation.tenant);
        const settled = await store.settle(lease, { to: "retry", delayMs: 0, countAttempt });
        deepEqual(settled, { outcome: "settled", state: "failed" }, "settling as retry after the mark");
        const { state, error } = await read(store, operation);
        deepEqual([state, error], ["failed", CANCELLED], "state and error");
        equal(await knock(store, operation.id), "terminal", "beginning it");
      }
    },
  },
  {
    rule: "cancel.lost",
    name: "begins no new attempt of what was marked, and ends it, when its holder is gone",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, 2 * unitMs);
      equal(
        await store.requestCancel(operation.id, operation.tenant),
        "requested",
        "cancelling under a lease",
      );
      await pass(2 * unitMs);
      equal(await knock(store, operation.id), "terminal", "beginning it after the lease");
      const { state, error } = await read(store, operation);
      deepEqual([state, error], ["failed", CANCELLED], "state and error");
    },
  },
  {
    rule: "cancel.race",
    name: "either ends an operation before it begins or marks the attempt that has begun",
    check: async (store) => {
      for (let round = 0; round < 20; round += 1) {
        const { id, tenant } = await createPending(store);
        const calls = [() => knock(store, id), () => store.requestCancel(id, tenant)];
        if (round % 2 === 1) calls.reverse();
        const answers = (await Promise.all(calls.map((call) => call()))).sort().join(" and ");
        const { state } = await read(store, { id, tenant });
        const expected = state === "failed" ? "cancelled and terminal" : "begun and requested";
        equal(answers, expected, `the answers about an operation that is ${state}`);
      }
    },
  },
];
