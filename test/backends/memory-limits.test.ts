import { createMemoryBackend, type MemoryBackendOptions, type NewOperation } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { announce } from "../../src/core/announcement.js";
import { memoryOnClock, submissionsOf } from "./memory-harnesses.js";

function operation(index: number, members: Partial<NewOperation> = {}): NewOperation {
  const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
  return { id, scope: "tenant-1", definition: "orders", input: "null", ...members };
}

const full = expect.objectContaining({ code: "OVERLOADED" });

describe("a memory back end that is full", () => {
  it("refuses one more operation and drops none, whatever state they are in", async () => {
    const { operations } = memoryOnClock({ maxOperations: 3 });
    await operations.create(operation(1));
    await operations.create(operation(2), { state: "preparing", token: "t", leaseMs: 1_000 });
    await operations.create(operation(3), { state: "failed", error: "null" });
    await expect(operations.create(operation(4))).rejects.toEqual(full);
    expect(await operations.create(operation(1))).toBe("exists");
    const states = await Promise.all([1, 2, 3].map((n) => operations.get(operation(n).id, "tenant-1")));
    expect(states.map((each) => each?.state)).toEqual(["pending", "preparing", "failed"]);
  });

  it("takes operations again once others were purged", async () => {
    const backend = memoryOnClock({ maxOperations: 1 });
    await backend.operations.create(operation(1), { state: "failed", error: "null" });
    await expect(backend.operations.create(operation(2))).rejects.toEqual(full);
    await submissionsOf(backend).purge({ retentionMs: 0, limit: 1 });
    expect(await backend.operations.create(operation(2))).toBe("created");
  });

  it("leaves the key free of a submission that it refuses", async () => {
    const backend = memoryOnClock({ maxOperations: 1 });
    const { operations, idempotency } = backend;
    const submissions = submissionsOf(backend);
    await operations.create(operation(1), { state: "failed", error: "null" });
    const refused = operation(2, { key: "key-1" });
    await expect(submissions.record({ operation: refused, fingerprint: "1:a" })).rejects.toEqual(full);
    expect(await idempotency.takeStale({ olderThanMs: 0, limit: 10 })).toEqual([]);
    await submissions.purge({ retentionMs: 0, limit: 1 });
    const other = operation(3, { key: "key-1" });
    expect(await submissions.record({ operation: other, fingerprint: "1:b" })).toEqual({
      outcome: "created",
    });
  });

  it("answers a submission whose key it knows", async () => {
    const backend = memoryOnClock({ maxOperations: 1 });
    const submissions = submissionsOf(backend);
    const first = operation(1, { key: "key-1" });
    await submissions.record({ operation: first, fingerprint: "1:a" });
    const again = { operation: operation(2, { key: "key-1" }), fingerprint: "1:a" };
    expect(await submissions.record(again)).toMatchObject({ outcome: "exists", operation: { id: first.id } });
  });

  it("settles with all follow-ups or not at all", async () => {
    const backend = memoryOnClock({ maxOperations: 3 });
    const { operations } = backend;
    const [working, ended, ...followUps] = [1, 2, 3, 4].map((n) => operation(n)) as [
      NewOperation,
      NewOperation,
    ];
    await operations.create(working);
    await operations.create(ended, { state: "failed", error: "null" });
    const lease = { operationId: working.id, token: "t" };
    await operations.beginAttempt(working.id, { token: "t", leaseMs: 1_000 });
    await expect(operations.settle(lease, { to: "completed" }, followUps)).rejects.toEqual(full);
    expect((await operations.list?.({ limit: 10 }))?.map(({ id, state }) => [id, state])).toEqual([
      [working.id, "pending"],
      [ended.id, "failed"],
    ]);
    await submissionsOf(backend).purge({ retentionMs: 0, limit: 1 });
    expect(await operations.settle(lease, { to: "completed" }, followUps)).toMatchObject({
      outcome: "settled",
    });
    expect(await operations.list?.({ limit: 10 })).toHaveLength(3);
  });

  it("refuses a batch of announcements that does not fit, whole, and takes it when there is room", async () => {
    const { queue } = memoryOnClock({ maxAnnouncements: 3 });
    const announcements = [1, 2, 3, 4].map((n) => announce(operation(n), "1"));
    const receive = async (limit: number): Promise<string[]> => {
      const signal = AbortSignal.abort();
      const deliveries = await queue.receive({ definitions: ["orders"], limit, leaseMs: 1_000, signal });
      return deliveries.map(({ announcement }) => announcement.operationId);
    };
    await queue.publish(announcements.slice(0, 2));
    await expect(queue.publish(announcements.slice(2))).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    expect(await receive(1)).toEqual([operation(1).id]);
    await queue.publish(announcements.slice(2));
    expect(await receive(10)).toEqual([2, 3, 4].map((n) => operation(n).id));
  });
});

describe("the options of the memory back end", () => {
  const limits = ["maxOperations", "maxAnnouncements"] as const;
  const values: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1mb", "10", null];

  it.each(limits.flatMap((name) => values.map((value) => [name, value] as const)))(
    "names %s when it is %s",
    (name, value) => {
      const options = { [name]: value } as MemoryBackendOptions;
      expect(() => createMemoryBackend(options)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(name) }),
      );
    },
  );

  it("takes every limit of at least 1, and none", () => {
    expect(createMemoryBackend({ maxOperations: 1, maxAnnouncements: 1 })).toBeDefined();
    expect(createMemoryBackend()).toBeDefined();
  });
});
