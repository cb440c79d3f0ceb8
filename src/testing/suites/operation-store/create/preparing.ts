import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  begins,
  COMPLETED,
  claim,
  createPreparing,
  ERROR,
  FAILED,
  LONG_MS,
  newOperation,
  newToken,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "../fixtures.js";

export const preparingChecks: readonly OperationStoreCheck[] = [
  {
    rule: "preparing.shown",
    name: "shows a preparing operation to its tenant, so that a duplicate finds it",
    check: async (store) => {
      const { operation } = await createPreparing(store, LONG_MS);
      const { state, input } = await read(store, operation);
      deepEqual({ state, input }, { state: "preparing", input: operation.input }, "the new operation");
    },
  },
  {
    rule: "preparing.repeated",
    name: "returns `created` again to the creator's token and `exists` to all others",
    check: async (store) => {
      const operation = newOperation();
      const initial = { state: "preparing", token: newToken(), leaseMs: LONG_MS } as const;
      const outcomes = await concurrently(50, () => store.create(operation, initial));
      equal(
        outcomes.filter((outcome) => outcome === "created").length,
        50,
        "number of calls that returned `created`",
      );
      equal(await store.create(operation, initial), "created", "creating it with the same token later");
      const other = { ...initial, token: newToken() };
      equal(await store.create(operation, other), "exists", "creating it with another token");
      equal(await store.create(operation), "exists", "creating it without a lease");
    },
  },
  {
    rule: "preparing.lease",
    name: "counts the creator's lease as the first attempt and starts no other until the lease expires",
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createPreparing(store, 5 * unitMs);
      const { begun: first, nextInMs } = await claim(store, { operationId: operation.id });
      deepEqual([first, nextInMs], [[], undefined], "what begins immediately, and `nextInMs`");
      await pass(4 * unitMs);
      equal(await begins(store, operation.id), false, "beginning before the end of the lease");
      await pass(unitMs);
      const begun = await begin(store, operation.id);
      equal(begun.operation.state, "preparing", "the state of the attempt");
      deepEqual([begun.operation.attempt, begun.previousLost], [2, true], "attempt and `previousLost`");
    },
  },
  {
    rule: "preparing.renewed",
    name: "lets the creator renew its lease",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, 5 * unitMs);
      await pass(4 * unitMs);
      isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing in time");
      await pass(5 * unitMs);
      equal(await begins(store, operation.id), false, "beginning after the end of the first lease");
    },
  },
  {
    rule: "preparing.prepared",
    name: "makes a prepared operation pending with its resource, due immediately, with no counted attempt",
    check: async (store) => {
      const { operation, lease } = await createPreparing(store, LONG_MS);
      const settled = await store.settle(lease, PREPARED);
      equal(isOutcome(settled, "settled", "settling as prepared").state, "pending", "the returned state");
      const { createdAt: _, ...rest } = await read(store, operation);
      const expected = {
        ...operation,
        state: "pending",
        attempt: 0,
        resource: '{"body":{"status":"pending"}}',
      };
      deepEqual(rest, expected, "the prepared operation");
      const begun = await begin(store, operation.id);
      deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "attempt and `previousLost`");
    },
  },
  {
    rule: "preparing.taken-over",
    name: "accepts only the token of the worker that took a creation over, not the creator's",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease: first } = await createPreparing(store, unitMs);
      await pass(unitMs);
      const { lease: second } = await begin(store, operation.id);
      isOutcome(await store.settle(first, PREPARED), "lost", "settling with the creator's token");
      isOutcome(await store.renew(first, { leaseMs: LONG_MS }), "lost", "renewing with the creator's token");
      const initial = { state: "preparing", token: first.token, leaseMs: LONG_MS } as const;
      equal(await store.create(operation, initial), "exists", "creating with the creator's token");
      equal((await read(store, operation)).state, "preparing", "the state");
      isOutcome(await store.settle(second, PREPARED), "settled", "settling with the current token");
      const begun = await begin(store, operation.id);
      deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "attempt and `previousLost`");
    },
  },
  {
    rule: "preparing.repeated-late",
    name: "returns `exists` to the creator's token once the operation is no longer preparing",
    check: async (store) => {
      for (const settlement of [PREPARED, FAILED]) {
        const { operation, lease } = await createPreparing(store, LONG_MS);
        await store.settle(lease, settlement);
        const before = await read(store, operation);
        const initial = { state: "preparing", token: lease.token, leaseMs: LONG_MS } as const;
        equal(await store.create(operation, initial), "exists", "repeating the creation");
        deepEqual(await read(store, operation), before, "the operation");
      }
    },
  },
  {
    rule: "preparing.failed",
    name: "fails a preparing operation with the error",
    check: async (store) => {
      const { operation, lease } = await createPreparing(store, LONG_MS);
      isOutcome(await store.settle(lease, FAILED), "settled", "settling as failed");
      const { state, error } = await read(store, operation);
      deepEqual([state, error], ["failed", ERROR], "state and error");
    },
  },
  {
    rule: "preparing.retried",
    name: "keeps an operation preparing after a retry and makes it due again after its delay",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createPreparing(store, LONG_MS);
      const retry = { to: "retry", delayMs: 5 * unitMs, countAttempt: false } as const;
      const settled = await store.settle(lease, retry);
      equal(isOutcome(settled, "settled", "settling as retry").state, "preparing", "the returned state");
      const { begun, nextInMs = 0 } = await claim(store, { operationId: operation.id });
      deepEqual(begun, [], "what begins immediately");
      ok(
        nextInMs > 4 * unitMs && nextInMs <= 5 * unitMs,
        `\`nextInMs\` should be the delay, not ${nextInMs}`,
      );
      await pass(5 * unitMs);
      const { state, attempt } = (await begin(store, operation.id)).operation;
      deepEqual([state, attempt], ["preparing", 1], "state and number of the attempt");
    },
  },
  {
    rule: "preparing.completed",
    name: "refuses to complete a preparing operation and keeps the lease",
    check: async (store) => {
      const { operation, lease } = await createPreparing(store, LONG_MS);
      isOutcome(await store.settle(lease, COMPLETED), "lost", "settling as completed");
      equal((await read(store, operation)).state, "preparing", "the state");
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling as prepared after it");
    },
  },
];
