import { CANCELLED } from "../../../../contract/problem.js";
import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "../fixtures.js";

export const cancelChecks: readonly OperationStoreCheck[] = [
  {
    rule: "cancel.idle",
    name: "fails an operation immediately if no worker is running it",
    check: async (store) => {
      const operation = await createPending(store);
      equal(await store.requestCancel(operation.id, operation.tenant), "cancelled", "cancelling");
      const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "failed", attempt: 0, error: CANCELLED }, "the operation");
      ok(settledAt >= createdAt, "`settledAt` is not before `createdAt`");
      equal(await begins(store, operation.id), false, "beginning it");
    },
  },
  {
    rule: "cancel.waiting",
    name: "fails an operation that is waiting for its retry",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { to: "retry", delayMs: LONG_MS, countAttempt: true });
      equal(await store.requestCancel(operation.id, operation.tenant), "cancelled", "cancelling");
      equal((await read(store, operation)).error, CANCELLED, "the error");
    },
  },
  {
    rule: "cancel.expired",
    name: "fails an operation as soon as its lease has expired, not earlier",
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
      deepEqual([state, error, result], ["failed", CANCELLED, undefined], "the operation after late work");
    },
  },
  {
    rule: "cancel.unseen",
    name: "returns `unknown` for operations that `get` hides from the tenant, and leaves them unchanged",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const { operation: hidden, lease: hiddenLease } = await createWorking(store, LONG_MS, { hidden: true });
      equal(await store.requestCancel(newId(), "tenant-1"), "unknown", "cancelling an unknown operation");
      equal(await store.requestCancel(operation.id, "tenant-2"), "unknown", "cancelling another tenant's");
      equal(await store.requestCancel(hidden.id, "tenant-1"), "unknown", "cancelling a hidden operation");
      for (const held of [lease, hiddenLease]) {
        const renewed = await store.renew(held, { leaseMs: LONG_MS });
        deepEqual(renewed, { outcome: "renewed", cancelRequested: false }, "renewing after it");
      }
    },
  },
  {
    rule: "cancel.preparing",
    name: "returns `unknown` for an operation that is preparing, during and after its lease",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, unitMs);
      equal(await store.requestCancel(operation.id, operation.tenant), "unknown", "cancelling under a lease");
      await pass(unitMs);
      equal(await store.requestCancel(operation.id, operation.tenant), "unknown", "cancelling after it");
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling it as prepared afterwards");
      const { lease: work } = await begin(store, operation.id);
      const renewed = await store.renew(work, { leaseMs: LONG_MS });
      deepEqual(renewed, { outcome: "renewed", cancelRequested: false }, "renewing its first attempt");
    },
  },
  {
    rule: "cancel.terminal",
    name: "changes nothing about an ended operation",
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
    name: "requests the cancellation of an operation under a live lease and reports it in every later renewal",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      equal((await read(store, operation)).cancelRequested, undefined, "`cancelRequested` before");
      for (const time of ["first", "second"]) {
        equal(
          await store.requestCancel(operation.id, operation.tenant),
          "requested",
          `cancelling for the ${time} time`,
        );
        const renewed = await store.renew(lease, { leaseMs: LONG_MS });
        deepEqual(renewed, { outcome: "renewed", cancelRequested: true }, `renewing for the ${time} time`);
      }
      const { state, cancelRequested } = await read(store, operation);
      deepEqual([state, cancelRequested], ["pending", true], "state and `cancelRequested`");
    },
  },
  {
    rule: "cancel.watched",
    name: "notifies a watcher of requests to cancel running operations, and of nothing else, until it stops",
    needs: ["watchCancellations"],
    check: async (store, { unitMs, pass }) => {
      const seen: string[] = [];
      const stop = store.watchCancellations?.((id) => void (id !== undefined && seen.push(id)));
      const waiting = await createPending(store);
      const { operation, lease } = await createWorking(store);
      await store.renew(lease, { leaseMs: LONG_MS, progress: "1" });
      await store.requestCancel(waiting.id, waiting.tenant);
      await store.requestCancel(operation.id, operation.tenant);
      for (let waited = 0; waited < 10 && seen.length === 0; waited += 1) await pass(unitMs);
      deepEqual([...new Set(seen)], [operation.id], "operations that the watcher was notified of");
      stop?.();
      seen.length = 0;
      const other = await createWorking(store);
      await store.requestCancel(other.operation.id, other.operation.tenant);
      await pass(unitMs);
      deepEqual(seen, [], "notifications after the watcher was stopped");
    },
  },
  {
    rule: "cancel.beaten",
    name: "keeps the outcome of work that completes or fails despite a requested cancellation",
    check: async (store) => {
      for (const ending of [COMPLETED, FAILED]) {
        const { operation, lease } = await createWorking(store);
        await store.requestCancel(operation.id, operation.tenant);
        const settled = isOutcome(await store.settle(lease, ending), "settled", "settling after the request");
        equal(settled.state, ending.to, "the returned state");
        const { state, error } = await read(store, operation);
        const own = ending.to === "failed" ? ending.error : undefined;
        deepEqual([state, error], [ending.to, own], "state and error");
      }
    },
  },
  {
    rule: "cancel.retried",
    name: "fails a cancelled operation instead of retrying it, also when the attempt is released",
    check: async (store) => {
      for (const countAttempt of [true, false]) {
        const { operation, lease } = await createWorking(store);
        await store.requestCancel(operation.id, operation.tenant);
        const settled = await store.settle(lease, { to: "retry", delayMs: 0, countAttempt });
        deepEqual(settled, { outcome: "settled", state: "failed" }, "settling as retry after the request");
        const { state, error } = await read(store, operation);
        deepEqual([state, error], ["failed", CANCELLED], "state and error");
        equal(await begins(store, operation.id), false, "beginning it");
      }
    },
  },
  {
    rule: "cancel.lost",
    name: "fails a cancelled operation instead of starting a new attempt if its worker is gone",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, 2 * unitMs);
      equal(
        await store.requestCancel(operation.id, operation.tenant),
        "requested",
        "cancelling under a lease",
      );
      await pass(2 * unitMs);
      equal(await begins(store, operation.id), false, "beginning it after the lease");
      const { state, error } = await read(store, operation);
      deepEqual([state, error], ["failed", CANCELLED], "state and error");
    },
  },
  {
    rule: "cancel.race",
    name: "either ends an operation before it starts or requests the cancellation of the running attempt",
    check: async (store) => {
      for (let round = 0; round < 20; round += 1) {
        const { id, tenant } = await createPending(store);
        const calls = [() => begins(store, id), () => store.requestCancel(id, tenant)];
        if (round % 2 === 1) calls.reverse();
        const answers = (await Promise.all(calls.map((call) => call()))).sort();
        const { state } = await read(store, { id, tenant });
        const expected = state === "failed" ? ["cancelled", false] : ["requested", true];
        deepEqual(answers, expected, `results for an operation that is ${state}`);
      }
    },
  },
];
