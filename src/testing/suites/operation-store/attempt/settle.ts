import type { Settlement } from "../../../../contract/operation.js";
import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { DIFFICULT_TEXT } from "../create/create.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createWorking,
  ERROR,
  FAILED,
  GIVEN_BACK,
  newId,
  newToken,
  type OperationStoreCheck,
  PREPARED,
  RESULT,
  RETRIED,
  read,
} from "../fixtures.js";

const EVERY_SETTLEMENT: readonly Settlement[] = [COMPLETED, FAILED, RETRIED, GIVEN_BACK, PREPARED];

export const settleChecks: readonly OperationStoreCheck[] = [
  {
    rule: "settle.completed",
    name: "completes an operation with or without a result and stores the result exactly",
    check: async (store) => {
      for (const result of [undefined, DIFFICULT_TEXT]) {
        const { operation, lease } = await createWorking(store);
        const settled = await store.settle(lease, { to: "completed", ...(result && { result }) });
        equal(isOutcome(settled, "settled", "completing").state, "completed", "the returned state");
        const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
        const expected = { ...operation, state: "completed", attempt: 1, result };
        deepEqual(rest, expected, "the completed operation");
        ok(settledAt >= createdAt, "`settledAt` is not before `createdAt`");
      }
    },
  },
  {
    rule: "settle.failed",
    name: "fails an operation and stores the error exactly",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const settled = await store.settle(lease, { to: "failed", error: DIFFICULT_TEXT });
      equal(isOutcome(settled, "settled", "failing").state, "failed", "the returned state");
      const { createdAt, settledAt = 0, ...rest } = await read(store, operation);
      deepEqual(rest, { ...operation, state: "failed", attempt: 1, error: DIFFICULT_TEXT }, "the operation");
      ok(settledAt >= createdAt, "`settledAt` is not before `createdAt`");
    },
  },
  {
    rule: "settle.last-error",
    name: "keeps the reason of the attempt that fails an operation, or the earlier one if it gives none",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      await store.settle(lease, { ...RETRIED, lastError: ERROR });
      const second = await begin(store, operation.id);
      await store.settle(second.lease, { to: "failed", error: ERROR, lastError: DIFFICULT_TEXT });
      equal((await read(store, operation)).lastError, DIFFICULT_TEXT, "the reason of the final attempt");
      const other = await createWorking(store);
      await store.settle(other.lease, { ...RETRIED, lastError: ERROR });
      await store.settle((await begin(store, other.operation.id)).lease, FAILED);
      equal((await read(store, other.operation)).lastError, ERROR, "the reason of the attempt before");
    },
  },
  {
    rule: "settle.progress",
    name: "stores the progress of a settlement exactly, and keeps the last value if it has none",
    check: async (store) => {
      for (const settlement of [COMPLETED, FAILED, RETRIED, GIVEN_BACK]) {
        const { operation, lease } = await createWorking(store);
        await store.renew(lease, { progress: "1" });
        await store.settle(lease, { ...settlement, progress: DIFFICULT_TEXT });
        equal((await read(store, operation)).progress, DIFFICULT_TEXT, `the progress of ${settlement.to}`);
        const other = await createWorking(store);
        await store.renew(other.lease, { progress: "1" });
        await store.settle(other.lease, settlement);
        equal((await read(store, other.operation)).progress, "1", `the progress before ${settlement.to}`);
      }
    },
  },
  {
    rule: "settle.times",
    name: "stores the times of creation and end to the millisecond",
    needs: ["skipsTime"],
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store);
      await pass(1_234);
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing after 1,234 ms");
      const { createdAt, settledAt = 0 } = await read(store, operation);
      const tookMs = settledAt - createdAt;
      ok(tookMs >= 1_234 && tookMs <= 1_234 + unitMs, `expected 1,234 ms between the times, got ${tookMs}`);
    },
  },
  {
    rule: "settle.stranger",
    name: "changes nothing for an unknown token, whether or not a worker is running the operation",
    check: async (store) => {
      const idle = await createPending(store);
      const { operation: busy } = await createWorking(store);
      for (const { id, tenant } of [idle, busy]) {
        const before = await read(store, { id, tenant });
        for (const settlement of EVERY_SETTLEMENT) {
          const settled = await store.settle({ operationId: id, token: newToken() }, settlement);
          isOutcome(settled, "lost", `settling as ${settlement.to} with an unknown token`);
        }
        deepEqual(await read(store, { id, tenant }), before, "the operation");
      }
      equal(await begins(store, busy.id), false, "beginning an operation that another worker is running");
    },
  },
  {
    rule: "settle.unknown",
    name: "settles nothing for an unknown id",
    check: async (store) => {
      const settled = await store.settle({ operationId: newId(), token: newToken() }, COMPLETED);
      isOutcome(settled, "lost", "settling an unknown operation");
    },
  },
  {
    rule: "settle.stale",
    name: "changes nothing for a token after a takeover",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease: stale } = await createWorking(store, unitMs);
      await pass(unitMs);
      const { lease } = await begin(store, operation.id);
      const before = await read(store, operation);
      for (const settlement of EVERY_SETTLEMENT) {
        isOutcome(
          await store.settle(stale, settlement),
          "lost",
          `settling as ${settlement.to} after a takeover`,
        );
      }
      deepEqual(await read(store, operation), before, "the operation");
      isOutcome(await store.settle(lease, COMPLETED), "settled", "settling as the holder");
      isOutcome(await store.settle(stale, FAILED), "lost", "settling with the old token after the end");
      equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "settle.late",
    name: "accepts late work unless another worker has taken over",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createWorking(store, unitMs);
      await pass(10 * unitMs);
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing after the lease");
      equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "settle.terminal",
    name: "never changes a terminal state and returns it to the token that ended the operation",
    check: async (store) => {
      for (const [ending, state] of [[COMPLETED, "completed"] as const, [FAILED, "failed"] as const]) {
        const { operation, lease } = await createEnded(store, {}, ending);
        const before = await read(store, operation);
        for (const settlement of EVERY_SETTLEMENT) {
          const settled = await store.settle(lease, settlement);
          deepEqual(settled, { outcome: "settled", state }, `settling as ${settlement.to} after the end`);
          isOutcome(
            await store.settle({ ...lease, token: newToken() }, settlement),
            "lost",
            "settling with an unknown token",
          );
        }
        deepEqual(await read(store, operation), before, "the ended operation");
      }
    },
  },
  {
    rule: "settle.repeated",
    name: "returns `settled` again when the settle that ended the operation is repeated later",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease } = await createEnded(store);
      const before = await read(store, operation);
      await pass(5 * unitMs);
      const again = await store.settle(lease, COMPLETED);
      deepEqual(again, { outcome: "settled", state: "completed" }, "the repeated settle");
      deepEqual(await read(store, operation), before, "the operation, with the time of its end");
    },
  },
  {
    rule: "settle.race",
    name: "lets one of 50 concurrent settlements end the operation and returns its state to all of them",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const results = await concurrently(50, (index) => store.settle(lease, index % 2 ? COMPLETED : FAILED));
      const { state, result, error } = await read(store, operation);
      for (const answer of results) deepEqual(answer, { outcome: "settled", state }, "each result");
      const outcome = state === "completed" ? [RESULT, undefined] : [undefined, ERROR];
      deepEqual([result, error], outcome, `result and error of the ${state} operation`);
    },
  },
  {
    rule: "settle.two-workers",
    name: "lets the current lease win when the previous holder settles at the same time",
    check: async (store, { unitMs, pass }) => {
      const { operation, lease: stale } = await createWorking(store, unitMs);
      await pass(unitMs);
      const { lease } = await begin(store, operation.id);
      const results = await concurrently(50, (index) =>
        index % 2 ? store.settle(lease, COMPLETED) : store.settle(stale, FAILED),
      );
      const outcomes = results.map((result) => result.outcome);
      const expected = outcomes.map((_, index) => (index % 2 ? "settled" : "lost"));
      deepEqual(outcomes, expected, "the results");
      equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "settle.not-preparing",
    name: "refuses to prepare a pending operation and keeps the lease",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      isOutcome(await store.settle(lease, PREPARED), "lost", "settling as prepared");
      const { state, resource } = await read(store, operation);
      deepEqual([state, resource], ["pending", undefined], "state and resource");
      isOutcome(await store.settle(lease, COMPLETED), "settled", "settling as completed after it");
    },
  },
];
