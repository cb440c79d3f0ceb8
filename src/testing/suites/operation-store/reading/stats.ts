import type { BoundedCount, DefinitionStats } from "../../../../ports/operation-reads.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome, ok } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import {
  begin,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  LONG_MS,
  newId,
  type OperationStoreCheck,
} from "../fixtures.js";

const MAX_COUNT = 10_000;
const AT_ONCE = 500;

async function statsOf(store: OperationStore, definition = "orders"): Promise<DefinitionStats> {
  const [stats, ...others] = await store.stats({ definitions: [definition] });
  equal(others.length, 0, "number of entries besides the requested one");
  ok(stats !== undefined, "expected an entry for the definition");
  return stats as DefinitionStats;
}

/** Returns the counts, as plain numbers unless `more` is set. */
async function countsOf(
  store: OperationStore,
  definition?: string,
): Promise<Record<"due" | "running" | "scheduled" | "failed", number | BoundedCount>> {
  const { due, running, scheduled, failed } = await statsOf(store, definition);
  const plain = (bounded: BoundedCount): number | BoundedCount => (bounded.more ? bounded : bounded.count);
  return { due: plain(due), running: plain(running), scheduled: plain(scheduled), failed: plain(failed) };
}

const NONE = { due: 0, running: 0, scheduled: 0, failed: 0 };

export const statsChecks: readonly OperationStoreCheck[] = [
  {
    rule: "stats.counts",
    name: "counts due, running, scheduled and failed operations, including hidden ones",
    check: async (store) => {
      for (let count = 0; count < 4; count += 1) await createPending(store, { hidden: count === 0 });
      for (let count = 0; count < 3; count += 1) await createWorking(store);
      for (let count = 0; count < 2; count += 1) await createPending(store, { delayMs: LONG_MS });
      await createEnded(store, {}, FAILED);
      await createEnded(store);
      deepEqual(await countsOf(store), { due: 4, running: 3, scheduled: 2, failed: 1 }, "the counts");
    },
  },
  {
    rule: "stats.definitions",
    name: "has one entry for each requested definition, with or without operations",
    check: async (store) => {
      await createPending(store);
      await createPending(store, { definition: "reports", tenant: "tenant-2" });
      await createEnded(store, { definition: "reports" }, FAILED);
      const names = ["reports", "constructor", "orders"];
      const stats = await store.stats({ definitions: names });
      deepEqual(stats.map(({ definition }) => definition).sort(), names.sort(), "the definitions");
      deepEqual(await countsOf(store, "constructor"), NONE, "the counts of a definition without operations");
      equal(
        (await statsOf(store, "constructor")).oldestDueMs,
        undefined,
        "the age for a definition without operations",
      );
      deepEqual(
        await countsOf(store, "reports"),
        { ...NONE, due: 1, failed: 1 },
        "the counts of another definition",
      );
      deepEqual(await store.stats({ definitions: [] }), [], "the counts of an empty list of definitions");
    },
  },
  {
    rule: "stats.preparing",
    name: "does not count preparing operations, during and after their lease, and while they wait for a retry",
    check: async (store, { unitMs, pass }) => {
      await createPreparing(store, LONG_MS);
      await createPreparing(store, unitMs);
      for (const delayMs of [0, LONG_MS]) {
        const { lease } = await createPreparing(store, LONG_MS);
        const settled = await store.settle(lease, { to: "retry", delayMs, countAttempt: true });
        isOutcome(settled, "settled", "settling as retry");
      }
      await pass(unitMs);
      deepEqual(await countsOf(store), NONE, "the counts");
    },
  },
  {
    rule: "stats.moves",
    name: "counts an operation as due when its lease has expired or its delay is over",
    check: async (store, { unitMs, pass }) => {
      await createWorking(store, 5 * unitMs);
      await createPending(store, { delayMs: 5 * unitMs });
      const { lease } = await createWorking(store);
      const retry = { to: "retry", delayMs: 5 * unitMs, countAttempt: true } as const;
      isOutcome(await store.settle(lease, retry), "settled", "settling as retry");
      deepEqual(await countsOf(store), { ...NONE, running: 1, scheduled: 2 }, "the counts before");
      await pass(5 * unitMs);
      deepEqual(await countsOf(store), { ...NONE, due: 3 }, "the counts after");
    },
  },
  {
    rule: "stats.oldest",
    name: "reports how long the longest-waiting operation has been due",
    check: async (store, { unitMs, pass }) => {
      const isOldest = async (units: number, what: string): Promise<void> => {
        const { oldestDueMs = -1 } = await statsOf(store);
        const [least, most] = [units * unitMs, (units + 2) * unitMs];
        ok(
          oldestDueMs >= least && oldestDueMs <= most,
          `${what}: expected ${least} to ${most} ms, got ${oldestDueMs}`,
        );
      };
      const { id: delayed } = await createPending(store, { delayMs: 5 * unitMs });
      equal((await statsOf(store)).oldestDueMs, undefined, "the age before anything is due");
      await pass(15 * unitMs);
      await isOldest(10, "the age, counted from when the operation became due");
      await createPending(store);
      await isOldest(10, "the age with a younger operation");
      const { lease } = await begin(store, delayed, { leaseMs: 5 * unitMs });
      await isOldest(0, "the age while the oldest operation runs");
      await pass(15 * unitMs);
      await isOldest(15, "the age of the younger operation");
      isOutcome(await store.settle(lease, FAILED), "settled", "settling");
    },
  },
  {
    rule: "stats.redriven",
    name: "does not count failed operations that run again, and counts their successors if they fail too",
    check: async (store) => {
      const { operation } = await createEnded(store, {}, FAILED);
      await createEnded(store, {}, FAILED);
      const id = newId();
      equal((await store.redrive(operation.id, { id, onEndId: newId() })).outcome, "redriven", "redriving");
      deepEqual(await countsOf(store), { ...NONE, due: 1, failed: 1 }, "the counts while it runs again");
      const { lease } = await begin(store, id);
      isOutcome(await store.settle(lease, FAILED), "settled", "settling");
      deepEqual(await countsOf(store), { ...NONE, failed: 2 }, "the counts after it failed again");
    },
  },
  {
    rule: "stats.bounded",
    name: "counts up to 10,000 and reports whether there are more",
    check: async (store) => {
      for (let count = 0; count < MAX_COUNT; count += AT_ONCE)
        await concurrently(AT_ONCE, () => createPending(store));
      deepEqual((await statsOf(store)).due, { count: MAX_COUNT, more: false }, "the count of 10,000");
      await createPending(store);
      deepEqual((await statsOf(store)).due, { count: MAX_COUNT, more: true }, "the count of 10,001");
    },
  },
];
