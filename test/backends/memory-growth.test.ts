import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Backend, composeStores, type OperationStore } from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { Line, type Waiting } from "../../src/backends/memory/collections/line.js";
import { Schedule, type Scheduled } from "../../src/backends/memory/schedule.js";
import { allOperations } from "../support/all-operations.js";
import { claimOne } from "../support/claims.js";
import { effort } from "../support/effort.js";
import { memoryOnClock, storesOnClock } from "../support/memory-harnesses.js";
import { operation as newOperation } from "./memory-operations.js";

const COUNT = effort(20_000, 100_000);
const RECORDED = effort(5_000, 100_000);
const BATCH = 500;
/** The engine may keep an object alive for some turns after its last use. */
const ENOUGH_TURNS = 10;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Enough for the largest of these tests on a loaded machine. */
const TIMEOUT_MS = 120_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const UNLINKED = { chain: undefined, before: undefined, after: undefined };

const operation = (index: number) => newOperation(index, { key: `key-${index}` });

/** Records and completes operations, one after the other. */
async function recordAndComplete({ operations, submissions }: Backend, count: number) {
  for (let index = 0; index < count; index += 1) {
    await submissions.record({ operation: operation(index), fingerprint: "1:a" });
    const { id } = operation(index);
    await claimOne(operations, id, { token: "t", leaseMs: HOUR_MS });
    await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
  }
}

/** Returns weak references to every operation of a store, to see which of them stay in memory. */
async function weakly(operations: OperationStore): Promise<readonly WeakRef<Operation>[]> {
  return (await allOperations(operations)).map((each) => new WeakRef(each));
}

/** Returns how many are still in memory after a full garbage collection in each turn. */
async function countInMemory(refs: readonly WeakRef<Operation>[], turns: number) {
  const isAlive = (ref: WeakRef<Operation>) => ref.deref() !== undefined;
  for (let turn = 0; turn < turns && refs.some(isAlive); turn += 1) {
    // A weak reference keeps its target alive until the end of the turn that read it.
    await nextTurn();
    collectGarbage();
  }
  return refs.filter(isAlive).length;
}

async function purgeAll({ submissions }: Backend) {
  let purged = 0;
  for (let count = BATCH; count === BATCH; purged += count) {
    count = await submissions.purge({ limit: BATCH });
  }
  return purged;
}

describe("operations in memory", () => {
  it("are all gone after the purge, after leases of any length", { timeout: TIMEOUT_MS }, async () => {
    const backend = memoryOnClock();
    await recordAndComplete(backend, RECORDED);
    const refs = await weakly(backend.operations);
    expect(await countInMemory(refs, 2)).toBe(RECORDED);
    expect(await purgeAll(backend)).toBe(RECORDED);
    expect(await backend.operations.list({ internal: true, limit: 1 })).toEqual([]);
    for (let index = 0; index < RECORDED; index += 1) {
      const { tenant, definition, key = "" } = operation(index);
      expect(await backend.submissions.findKey({ tenant, definition, key })).toBeUndefined();
    }
    expect(await countInMemory(refs, ENOUGH_TURNS)).toBe(0);
  });

  it("are all gone when the stores are used separately", async () => {
    const { clock, ...stores } = storesOnClock();
    const { operations, idempotency } = stores;
    const backend = composeStores(stores, { clock });
    await recordAndComplete(backend, 5_000);
    const refs = await weakly(operations);
    expect(await purgeAll(backend)).toBe(5_000);
    await clock.advance(HOUR_MS);
    expect(await operations.takeExpired({ limit: BATCH })).toEqual([]);
    expect(await operations.list({ internal: true, limit: 1 })).toEqual([]);
    expect(await idempotency.takeStale({ olderThanMs: 0, limit: 1 })).toEqual([]);
    expect(await countInMemory(refs, ENOUGH_TURNS)).toBe(0);
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
    expect(await purgeAll(backend)).toBe(1_000);
    expect(await countInMemory(refs, ENOUGH_TURNS)).toBe(0);
  });
});

it("a lane that is never empty keeps none of the operations that have ended", async () => {
  const backend = memoryOnClock();
  const { operations } = backend;
  const inLane = (index: number) => ({ ...operation(index), lane: "one" });
  await operations.create(inLane(0));
  for (let index = 0; index < 1_000; index += 1) {
    await operations.create(inLane(index + 1));
    const { id } = operation(index);
    await claimOne(operations, id, { token: "t", leaseMs: HOUR_MS });
    await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
  }
  const refs = await weakly(operations);
  expect(await purgeAll(backend)).toBe(1_000);
  // Its order keeps places of the last ones.
  expect(await countInMemory(refs, ENOUGH_TURNS)).toBeLessThan(100);
});

it("a limit holds for a tenant of whom very many attempts run", async () => {
  const { operations } = memoryOnClock();
  const count = effort(5_000, 150_000);
  for (let index = 0; index <= count; index += 1) await operations.create(operation(index));
  const limits = { runningPerTenant: count };
  const claim = (token: string, slots: number) =>
    operations.claim({
      token,
      limit: slots,
      definitions: [{ name: "orders", slots, leaseMs: HOUR_MS, suspects: 0, limits }],
    });
  for (let begun = 0; begun < count; ) begun += (await claim(`t${begun}`, count)).begun.length;
  expect((await claim("last", 1)).begun).toEqual([]);
});

describe("the lines of the memory back end", () => {
  interface Item extends Waiting<Item> {
    readonly name: number;
  }

  it("look only at the first item that has not waited long enough", () => {
    const line = new Line<Item>();
    let looks = 0;
    for (let name = 0; name < COUNT; name += 1) {
      let joined = 0;
      const item: Item = {
        ...UNLINKED,
        name,
        get since() {
          looks += 1;
          return joined;
        },
        set since(value: number) {
          joined = value;
        },
      };
      line.join(item, name);
    }
    looks = 0;
    expect(line.take(COUNT, COUNT - BATCH + 1, COUNT)).toHaveLength(BATCH);
    expect(looks).toBeLessThan(2 * BATCH);
  });
});

describe("the schedule of the memory back end", () => {
  interface Item extends Scheduled<Item> {}

  /** Creates items that count the calls to their `dueAt`. */
  function countedItems(count: number, dueAt: (index: number) => number) {
    const looks = { count: 0 };
    const items = Array.from({ length: count }, (_, index) => {
      const time = dueAt(index);
      const item: Item = {
        ...UNLINKED,
        get dueAt() {
          looks.count += 1;
          return time;
        },
      };
      return item;
    });
    return { items, looks };
  }

  it("does not look at items that are not due", () => {
    const schedule = new Schedule<Item>();
    const { items, looks } = countedItems(COUNT, (index) => MINUTE_MS + index);
    for (const item of items) schedule.put(item);
    looks.count = 0;
    expect(schedule.take(MINUTE_MS - 1, BATCH)).toEqual([]);
    expect(looks.count).toBe(0);
  });

  it("looks at each due item a few times, with any number due at once", () => {
    const schedule = new Schedule<Item>();
    const { items, looks } = countedItems(10_000, () => 0);
    for (const item of items) schedule.put(item);
    looks.count = 0;
    let taken = 0;
    for (let batch = 0; batch < 1_000; batch += 1) {
      taken += schedule.take(0, 10).length;
    }
    expect(taken).toBe(10_000);
    expect(looks.count).toBeLessThan(10 * taken);
  });

  it("hands out items in order of their seconds after many others came and went", () => {
    const schedule = new Schedule<Item>();
    for (const hours of [20, 10, 0]) {
      const dueAt = (index: number) => hours * HOUR_MS + ((index * 7_919) % 5_000) * SECOND_MS;
      const { items } = countedItems(5_000, dueAt);
      for (const item of items) schedule.put(item);
      if (hours > 0) for (const item of items) item.chain?.remove(item);
    }
    const seconds: number[] = [];
    for (let taken = schedule.take(5_000 * SECOND_MS, 7); taken.length > 0; ) {
      seconds.push(...taken.map(({ dueAt }) => dueAt / SECOND_MS));
      taken = schedule.take(5_000 * SECOND_MS, 7);
    }
    expect(seconds).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
  });
});
