import { createMemoryBackend } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { allOperations } from "../support/all-operations.js";
import { claimOne } from "../support/claims.js";
import { memoryOnClock, storesOnClock } from "../support/memory-harnesses.js";
import { operation as newOperation } from "./memory-operations.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

const operation = (index: number) => newOperation(index, { key: `key-${index}`, retentionMs: DAY_MS });

/** A memory back end with the steps that the tests share. */
function stage(maxOperations = 100) {
  const { operations, submissions, clock } = memoryOnClock({ maxOperations });
  return {
    operations,
    clock,
    end: async (index: number) => {
      const { id } = operation(index);
      await submissions.record({ operation: operation(index), fingerprint: "1:a" });
      await claimOne(operations, id, { token: "t", leaseMs: HOUR_MS });
      await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
    },
    purge: () => submissions.purge({ limit: 100 }),
    ids: async () => (await allOperations(operations)).map(({ id }) => id),
  };
}

describe("a memory back end after a year-long clock jump", () => {
  it("keeps an operation that ended during the jump for its retention, not for a year", async () => {
    const { end, purge, ids, clock } = stage();
    await clock.jump(YEAR_MS);
    await end(1);
    await clock.jump(-YEAR_MS);
    expect(await purge()).toBe(0);
    await clock.advance(DAY_MS - 1);
    expect(await purge()).toBe(0);
    await clock.advance(1);
    expect(await purge()).toBe(1);
    expect(await ids()).toEqual([]);
  });

  it("purges operations that ended before and after the jump when their retention is over", async () => {
    const { end, purge, ids, clock } = stage();
    await end(1);
    await clock.jump(YEAR_MS);
    await end(2);
    await clock.jump(-YEAR_MS);
    await clock.advance(HOUR_MS);
    await end(3);
    await clock.advance(DAY_MS - HOUR_MS);
    expect(await purge()).toBe(1);
    expect(await ids()).toEqual([operation(2).id, operation(3).id]);
    await clock.advance(HOUR_MS);
    expect(await purge()).toBe(2);
  });

  it("has room again for each purged operation", async () => {
    const { end, purge, operations, clock } = stage(2);
    await clock.jump(YEAR_MS);
    await end(1);
    await clock.jump(-YEAR_MS);
    await end(2);
    await expect(operations.create(operation(3))).rejects.toMatchObject({ code: "OVERLOADED" });
    await clock.advance(DAY_MS);
    expect(await purge()).toBe(2);
    await end(3);
    await end(4);
  });

  it("deletes operations that were removed during the jump after the requested time", async () => {
    const { operations, clock } = storesOnClock();
    await clock.jump(YEAR_MS);
    await operations.create(operation(1), { state: "failed", error: "{}" });
    await operations.remove([operation(1).id], { afterMs: HOUR_MS });
    await clock.jump(-YEAR_MS);
    await operations.takeExpired({ limit: 100 });
    await clock.advance(HOUR_MS);
    await operations.takeExpired({ limit: 100 });
    expect(await allOperations(operations)).toEqual([]);
  });

  it("keeps an operation that failed during the jump and was redriven after it for its retention only", async () => {
    const { operations, submissions, clock } = memoryOnClock();
    const fail = { token: "t", leaseMs: HOUR_MS };
    const [failed, successor] = [operation(1), operation(2)];
    await clock.jump(YEAR_MS);
    await submissions.record({ operation: failed, fingerprint: "1:a" });
    await claimOne(operations, failed.id, fail);
    await operations.settle({ operationId: failed.id, token: "t" }, { to: "failed", error: "{}" });
    await clock.jump(-YEAR_MS);
    await submissions.purge({ limit: 10 });
    await operations.redrive(failed.id, { id: successor.id, onEndId: operation(3).id });
    await operations.requestCancel(successor.id, "tenant-1");
    await clock.advance(DAY_MS);
    for (let round = 0; round < 3; round += 1) await submissions.purge({ limit: 10 });
    expect(await allOperations(operations)).toEqual([]);
  });

  it("ends an overdue operation although the clock steps back at that moment", async () => {
    const { clock } = memoryOnClock();
    let reads = 0;
    const stepping = { ...clock, now: () => clock.now() - (reads++ % 2) };
    const { operations } = createMemoryBackend({ clock: stepping });
    reads = 0;
    await operations.create({ ...operation(1), startWithinMs: HOUR_MS });
    await clock.advance(HOUR_MS);
    reads = 0;
    expect(await operations.endOverdue({ limit: 10 })).toHaveLength(1);
  });

  it("hands out bindings made during the jump once they are as old as requested", async () => {
    const { idempotency, clock } = storesOnClock();
    const reference = { tenant: "tenant-1", definition: "orders", key: "key-1" };
    const binding = { ...reference, fingerprint: "1:a", operationId: "1" };
    await clock.jump(YEAR_MS);
    await idempotency.bind(binding);
    await clock.jump(-YEAR_MS);
    expect(await idempotency.takeStale({ olderThanMs: DAY_MS, limit: 10 })).toEqual([]);
    await clock.advance(DAY_MS);
    expect(await idempotency.takeStale({ olderThanMs: DAY_MS, limit: 10 })).toEqual([binding]);
  });
});
