import type { NewOperation } from "async-request-reply";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Fifo } from "../../src/backends/memory/fifo.js";
import { Schedule } from "../../src/backends/memory/schedule.js";
import { memoryOnClock, submissionsOf } from "./memory-harnesses.js";

const COUNT = 100_000;
const BATCH = 500;
const MINUTE_MS = 60_000;
/** A loaded machine takes seconds for the largest of these tests. */
const TIMEOUT_MS = 120_000;

function operation(index: number): NewOperation {
  const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
  return { id, scope: "tenant-1", definition: "orders", input: "null", key: `key-${index}` };
}

/** Counts what lies in the lines of the store, and how often they are looked at. */
const lines = { held: 0, steps: 0 };
const { push, peek, shift } = Fifo.prototype;

beforeEach(() => {
  Object.assign(lines, { held: 0, steps: 0 });
  Fifo.prototype.push = function (item) {
    lines.held += 1;
    push.call(this, item);
  };
  Fifo.prototype.peek = function () {
    lines.steps += 1;
    return peek.call(this);
  };
  Fifo.prototype.shift = function () {
    const item: unknown = shift.call(this);
    if (item !== undefined) lines.held -= 1;
    return item;
  };
});

afterEach(() => {
  Object.assign(Fifo.prototype, { push, peek, shift });
});

/** Records and completes operations, one after the other. */
async function recordAndComplete(backend: ReturnType<typeof memoryOnClock>, count: number): Promise<void> {
  const { operations } = backend;
  const submissions = submissionsOf(backend);
  for (let index = 0; index < count; index += 1) {
    await submissions.record({ operation: operation(index), fingerprint: "1:a" });
    const { id } = operation(index);
    await operations.beginAttempt(id, { token: "t", leaseMs: MINUTE_MS });
    await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
  }
}

describe("100,000 operations in memory", () => {
  it(
    "leave nothing behind when they were completed and purged",
    async () => {
      const backend = memoryOnClock();
      const submissions = submissionsOf(backend);
      await recordAndComplete(backend, COUNT);
      let purged = 0;
      for (let count = BATCH; count === BATCH; purged += count) {
        count = await submissions.purge({ retentionMs: 0, limit: BATCH });
      }
      expect(purged).toBe(COUNT);
      expect(await backend.operations.list?.({ limit: 1 })).toEqual([]);
      expect(await backend.idempotency.takeStale({ olderThanMs: 0, limit: 1 })).toEqual([]);
      // What was handed out comes up once more after a minute; then it must be forgotten for good.
      await backend.clock.advance(MINUTE_MS);
      for (let round = 0; round <= COUNT / BATCH; round += 1) {
        expect(await submissions.purge({ retentionMs: 0, limit: BATCH })).toBe(0);
      }
      expect(lines.held).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    "leave nothing behind when the stores are used one by one",
    async () => {
      const backend = memoryOnClock();
      const { operations, idempotency, clock } = backend;
      await recordAndComplete(backend, 10_000);
      for (;;) {
        const expired = await operations.takeExpired({ retentionMs: 0, limit: BATCH });
        if (expired.length === 0) break;
        for (const { id: operationId, key = "", scope, definition } of expired) {
          await idempotency.release({ operationId, key, scope, definition });
        }
        await operations.remove(
          expired.map(({ id }) => id),
          { afterMs: MINUTE_MS },
        );
      }
      await clock.advance(MINUTE_MS);
      for (let round = 0; round <= 10_000 / BATCH; round += 1) {
        await operations.takeExpired({ retentionMs: 0, limit: BATCH });
      }
      expect(await operations.list?.({ limit: 1 })).toEqual([]);
      expect(await idempotency.takeStale({ olderThanMs: 0, limit: 1 })).toEqual([]);
      expect(lines.held).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    "are not looked at by `takeExpired` while their retention lasts",
    async () => {
      const backend = memoryOnClock();
      await recordAndComplete(backend, COUNT);
      lines.steps = 0;
      expect(await backend.operations.takeExpired({ retentionMs: MINUTE_MS, limit: BATCH })).toEqual([]);
      expect(lines.steps).toBeLessThan(10);
      await backend.clock.advance(MINUTE_MS);
      expect(await backend.operations.takeExpired({ retentionMs: MINUTE_MS, limit: BATCH })).toHaveLength(
        BATCH,
      );
      expect(lines.steps).toBeLessThan(2 * BATCH);
    },
    TIMEOUT_MS,
  );
});

describe("the schedule of the memory back end", () => {
  /** Items that count how often anybody asks when they are due. */
  function countedItems(count: number, dueAt: (index: number) => number) {
    const looks = { count: 0 };
    const items = Array.from({ length: count }, (_, index) => {
      let announceAt: number | undefined = dueAt(index);
      return {
        get announceAt() {
          looks.count += 1;
          return announceAt;
        },
        set announceAt(value: number | undefined) {
          announceAt = value;
        },
      };
    });
    return { items, looks };
  }

  it("does not look at what is not due", () => {
    const schedule = new Schedule();
    const { items, looks } = countedItems(COUNT, (index) => MINUTE_MS + index);
    for (const item of items) schedule.add(item);
    looks.count = 0;
    expect(schedule.take(MINUTE_MS - 1, BATCH)).toEqual([]);
    expect(looks.count).toBe(0);
  });

  it("looks at what is due a few times each, however many fall due at the same time", () => {
    const schedule = new Schedule();
    const { items, looks } = countedItems(10_000, () => 0);
    for (const item of items) schedule.add(item);
    looks.count = 0;
    let taken = 0;
    for (let batch = 0; batch < 1_000; batch += 1) {
      for (const item of schedule.take(0, 10)) {
        item.announceAt = undefined;
        taken += 1;
      }
    }
    expect(taken).toBe(10_000);
    expect(looks.count).toBeLessThan(10 * taken);
  });
});
