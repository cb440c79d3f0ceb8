import type { OperationStore } from "../../../ports/operation-store.js";
import type { SeparateOperationStore } from "../../../ports/separate-operation-store.js";
import { deepEqual, equal, isOutcome } from "../../expect.js";
import { createRedriven, redrive } from "../operation-store/attempt/redrive.js";
import { begin, COMPLETED, createEnded, FAILED, read } from "../operation-store/fixtures.js";
import { type SeparateOperationStoreCheck, takeExpiredIds } from "./fixtures.js";

const TENANT = "tenant-1";
/** More rounds than any case needs, so that a store that hands out an operation forever does not hang the case. */
const MAX_ROUNDS = 10;
const YEAR_MS = 365 * 24 * 3_600_000;

async function complete(store: OperationStore, id: string): Promise<void> {
  const { lease } = await begin(store, id);
  isOutcome(await store.settle(lease, COMPLETED), "settled", "completing the successor");
}

/** Removes the operations that are handed out until there are no more, and returns their ids in order. */
async function purgeAll(store: SeparateOperationStore): Promise<string[]> {
  const all: string[] = [];
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const ids = await takeExpiredIds(store);
    if (ids.length === 0) break;
    all.push(...ids);
    await store.remove(ids, { afterMs: 0 });
  }
  return all;
}

/** Retention of failed operations that were redriven. */
export const redrivenChecks: readonly SeparateOperationStoreCheck[] = [
  {
    rule: "redriven.kept",
    name: "keeps a redriven operation until its successor is gone",
    check: async (store, { unitMs, pass }) => {
      const { failed, successor } = await createRedriven(store, { retentionMs: 2 * unitMs });
      await pass(10 * unitMs);
      deepEqual(await purgeAll(store), [], "operations handed out while the successor is pending");
      await complete(store, successor);
      deepEqual(await purgeAll(store), [], "operations handed out when the successor has ended");
      equal((await read(store, { id: failed, tenant: TENANT })).retriedBy, successor, "its successor");
      await pass(2 * unitMs);
      deepEqual(
        await takeExpiredIds(store),
        [successor],
        "operations handed out when the successor has expired",
      );
      equal(
        (await read(store, { id: failed, tenant: TENANT })).state,
        "failed",
        "the state of the first operation",
      );
      await store.remove([successor], { afterMs: 0 });
      deepEqual(await purgeAll(store), [failed], "operations handed out when the successor is gone");
      equal(await store.get(failed, TENANT), undefined, "the first operation in the end");
    },
  },
  {
    rule: "redriven.chain",
    name: "keeps every operation of a chain of redrives until the last one is gone",
    check: async (store, { unitMs, pass }) => {
      const { failed: first, successor: second } = await createRedriven(store, { retentionMs: unitMs });
      const { lease } = await begin(store, second);
      isOutcome(await store.settle(lease, FAILED), "settled", "failing the second");
      const result = isOutcome(await redrive(store, second), "redriven", "redriving the second");
      await pass(10 * unitMs);
      deepEqual(await purgeAll(store), [], "operations handed out while the last one is pending");
      await complete(store, result.operationId);
      await pass(unitMs);
      deepEqual(
        await purgeAll(store),
        [result.operationId, second, first],
        "operations handed out after the last one has expired",
      );
    },
  },
  {
    rule: "redriven.removed",
    name: "keeps an operation that was redriven after it was handed out or passed to `remove`",
    check: async (store, { unitMs, pass }) => {
      const { operation: early } = await createEnded(store, { retentionMs: 0 }, FAILED);
      const { operation: late } = await createEnded(store, { retentionMs: 0 }, FAILED);
      const ids = [early.id, late.id];
      deepEqual((await takeExpiredIds(store)).sort(), ids.sort(), "operations handed out");
      isOutcome(await redrive(store, early.id), "redriven", "redriving before the removal");
      await store.remove(ids, { afterMs: unitMs });
      isOutcome(await redrive(store, late.id), "redriven", "redriving after the removal");
      await pass(unitMs);
      deepEqual(await takeExpiredIds(store), [], "operations handed out");
      for (const each of [early, late]) equal((await read(store, each)).state, "failed", "the state");
    },
  },
  {
    rule: "jump.redriven",
    name: "keeps an operation redriven during a year-long clock jump until its successor is gone",
    needs: ["jumpsBack"],
    check: async (store, { unitMs, pass, jump }) => {
      const { operation } = await createEnded(store, { retentionMs: unitMs }, FAILED);
      await jump(YEAR_MS);
      const result = isOutcome(await redrive(store, operation.id), "redriven", "redriving");
      await jump(-YEAR_MS);
      await pass(10 * unitMs);
      deepEqual(await purgeAll(store), [], "operations handed out while the successor is pending");
      // The successor was created while the clock was ahead, so it might not be due yet.
      equal(await store.requestCancel(result.operationId, TENANT), "cancelled", "cancelling the successor");
      await pass(unitMs);
      deepEqual(
        await purgeAll(store),
        [result.operationId, operation.id],
        "operations handed out after the end",
      );
    },
  },
];
