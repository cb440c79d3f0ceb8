import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { OperationStore } from "async-request-reply";
import type { NewOperation, Operation, Submissions } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { allOperations } from "../support/all-operations.js";
import { effort } from "../support/effort.js";
import { memoryOnClock, submissionsOf } from "./memory-harnesses.js";

/** Numbers of operations between which the duration of a search must not grow much. */
const FEW = 300;
const MANY = 30_000;
/** Calls of each search. They have to be fewer than what is due in them. */
const ROUNDS = 20;
const RECORDED = effort(20_000, 100_000);
const BATCH = 500;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Enough for the largest of these tests on a loaded machine. */
const TIMEOUT_MS = 120_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function operation(index: number): NewOperation {
  const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
  return { id, tenant: "tenant-1", definition: "orders", input: "null", key: `key-${index}`, retentionMs: 0 };
}

/** Records and completes operations, one after the other. */
async function recordAndComplete(
  backend: ReturnType<typeof memoryOnClock>,
  count: number,
  leaseMs: number,
): Promise<void> {
  const { operations } = backend;
  const submissions = submissionsOf(backend);
  for (let index = 0; index < count; index += 1) {
    await submissions.record({ operation: operation(index), fingerprint: "1:a" });
    const { id } = operation(index);
    await operations.beginAttempt(id, { token: "t", leaseMs });
    await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
  }
}

/** Returns weak references to every operation of a store, to see which of them stay in memory. */
async function weakly(operations: OperationStore): Promise<readonly WeakRef<Operation>[]> {
  return (await allOperations(operations)).map((each) => new WeakRef(each));
}

/** Returns how many are still in memory after a full garbage collection. */
async function countInMemory(refs: readonly WeakRef<Operation>[]): Promise<number> {
  const isAlive = (ref: WeakRef<Operation>): boolean => ref.deref() !== undefined;
  for (let turns = 0; turns < 10 && refs.some(isAlive); turns += 1) {
    // A weak reference keeps its target alive until the end of the turn that read it, and the engine may for a while longer.
    await nextTurn();
    collectGarbage();
  }
  return refs.filter(isAlive).length;
}

/** Releases the keys of one batch of ended operations and removes them. Returns their number. */
async function removeBatch({ operations, idempotency }: ReturnType<typeof memoryOnClock>): Promise<number> {
  const expired = await operations.takeExpired({ limit: BATCH });
  for (const { id: operationId, key = "", tenant, definition } of expired) {
    await idempotency.release({ operationId, key, tenant, definition });
  }
  const ids = expired.map(({ id }) => id);
  await operations.remove(ids, { afterMs: MINUTE_MS });
  return ids.length;
}

async function purgeAll(submissions: Submissions<unknown>): Promise<number> {
  let purged = 0;
  for (let count = BATCH; count === BATCH; purged += count) {
    count = await submissions.purge({ limit: BATCH });
  }
  return purged;
}

describe("operations in memory", () => {
  it("are all gone after the purge, after leases of any length", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const backend = memoryOnClock();
    await recordAndComplete(backend, RECORDED, HOUR_MS);
    const refs = await weakly(backend.operations);
    expect(await countInMemory(refs)).toBe(RECORDED);
    expect(await purgeAll(submissionsOf(backend))).toBe(RECORDED);
    expect(await backend.operations.list?.({ internal: true, limit: 1 })).toEqual([]);
    expect(await backend.idempotency.takeStale({ olderThanMs: 0, limit: 1 })).toEqual([]);
    expect(await countInMemory(refs)).toBe(0);
  });

  it("are all gone when the stores are used separately", async () => {
    const backend = memoryOnClock();
    const { operations, idempotency, clock } = backend;
    await recordAndComplete(backend, 10_000, HOUR_MS);
    const refs = await weakly(operations);
    while ((await removeBatch(backend)) > 0);
    await clock.advance(MINUTE_MS);
    expect(await operations.takeExpired({ limit: BATCH })).toEqual([]);
    expect(await operations.list?.({ internal: true, limit: 1 })).toEqual([]);
    expect(await idempotency.takeStale({ olderThanMs: 0, limit: 1 })).toEqual([]);
    expect(await countInMemory(refs)).toBe(0);
  });

  it("are all gone if clients cancel them and no worker asks for their definition", async () => {
    const backend = memoryOnClock();
    const { operations } = backend;
    for (let index = 0; index < 1_000; index += 1) {
      await operations.create(operation(index));
      await operations.requestCancel(operation(index).id, "tenant-1");
      await backend.clock.advance(SECOND_MS);
    }
    const refs = await weakly(operations);
    expect(await purgeAll(submissionsOf(backend))).toBe(1_000);
    expect(await countInMemory(refs)).toBe(0);
  });
});

/** Returns the shortest duration of several calls, which a busy machine disturbs least. */
async function fastestMs(call: () => Promise<unknown>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await call();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

type Opened = ReturnType<typeof memoryOnClock>;

/** Searches of the sweep, and how to record something that they have to skip, or to hand out one after the other. */
const searches: readonly (readonly [
  name: string,
  fill: (backend: Opened, count: number) => Promise<void>,
  search: (backend: Opened) => Promise<unknown>,
])[] = [
  [
    "operations that are not due",
    async ({ operations }, count) => {
      for (let index = 0; index < count; index += 1)
        await operations.create({ ...operation(index), delayMs: HOUR_MS + index });
    },
    ({ operations }) => operations.takeDue({ definitions: ["orders"], limit: 10 }),
  ],
  [
    "operations that are all due",
    async ({ operations, clock }, count) => {
      for (let index = 0; index < count; index += 1) await operations.create(operation(index));
      await clock.advance(MINUTE_MS);
    },
    ({ operations }) => operations.takeDue({ definitions: ["orders"], limit: 10 }),
  ],
  [
    "operations that have not expired",
    async (backend, count) => {
      for (let index = 0; index < count; index += 1) {
        const { id, tenant } = operation(index);
        await backend.operations.create({ ...operation(index), retentionMs: HOUR_MS });
        await backend.operations.requestCancel(id, tenant);
      }
    },
    (backend) => submissionsOf(backend).purge({ limit: BATCH }),
  ],
  [
    "claims that are not stale",
    async ({ idempotency }, count) => {
      for (let index = 0; index < count; index += 1)
        await idempotency.claim({
          tenant: "tenant-1",
          definition: "orders",
          key: `key-${index}`,
          fingerprint: "1:a",
          operationId: operation(index).id,
        });
    },
    ({ idempotency }) => idempotency.takeStale({ olderThanMs: MINUTE_MS, limit: BATCH }),
  ],
];

describe("a search in memory", () => {
  it.each(searches)("takes no longer with many %s", async (_, fill, search) => {
    const durations: number[] = [];
    for (const count of [FEW, MANY]) {
      const backend = memoryOnClock();
      await fill(backend, count);
      durations.push(await fastestMs(() => search(backend)));
    }
    const [few = 0, many = 0] = durations;
    // Looking at each of them would take about 30 to 100 times as long.
    expect(many / few).toBeLessThan(10);
  });

  it("finds the operations in the order in which they become due, after they were due at other times", async () => {
    const { operations, clock } = memoryOnClock();
    const count = 1_000;
    const dueAt = (index: number): number => (index * 7_919) % count;
    for (let index = 0; index < count; index += 1) {
      const { id: operationId } = operation(index);
      await operations.create(operation(index));
      await operations.beginAttempt(operationId, { token: "t", leaseMs: HOUR_MS });
      await operations.settle(
        { operationId, token: "t" },
        { to: "retry", delayMs: dueAt(index) * SECOND_MS, countAttempt: true },
      );
    }
    await clock.advance(count * SECOND_MS);
    const ids: string[] = [];
    for (let taken = count; taken > 0; ) {
      const due = await operations.takeDue({ definitions: ["orders"], limit: 7 });
      taken = due.length;
      ids.push(...due.map(({ id }) => id));
    }
    const inOrder = Array.from({ length: count }, (_, index) => index).sort((a, b) => dueAt(a) - dueAt(b));
    expect(ids).toEqual(inOrder.map((index) => operation(index).id));
  });
});
