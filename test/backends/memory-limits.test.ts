import { createMemoryBackend, type MemoryBackendOptions } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { allOperations } from "../support/all-operations.js";
import { claimOne } from "../support/claims.js";
import { memoryOnClock } from "../support/memory-harnesses.js";
import { operation } from "./memory-operations.js";

const full = expect.objectContaining({ code: "OVERLOADED" });

describe("a memory back end that is full", () => {
  it("refuses another operation and drops none, in any state", async () => {
    const { operations } = memoryOnClock({ maxOperations: 3 });
    await operations.create(operation(1));
    await operations.create(operation(2), { state: "preparing", token: "t", leaseMs: 1_000 });
    await operations.create(operation(3), { state: "failed", error: "null" });
    await expect(operations.create(operation(4))).rejects.toEqual(full);
    expect(await operations.create(operation(1))).toBe("exists");
    const states = await Promise.all([1, 2, 3].map((n) => operations.get(operation(n).id, "tenant-1")));
    expect(states.map((each) => each?.state)).toEqual(["pending", "preparing", "failed"]);
  });

  it("accepts operations again once others were purged", async () => {
    const { operations, submissions } = memoryOnClock({ maxOperations: 1 });
    await operations.create(operation(1), { state: "failed", error: "null" });
    await expect(operations.create(operation(2))).rejects.toEqual(full);
    await submissions.purge({ limit: 1 });
    expect(await operations.create(operation(2))).toBe("created");
  });

  it("leaves the key of a refused submission free", async () => {
    const { operations, submissions } = memoryOnClock({ maxOperations: 1 });
    await operations.create(operation(1), { state: "failed", error: "null" });
    const refused = operation(2, { key: "key-1" });
    await expect(submissions.record({ operation: refused, fingerprint: "1:a" })).rejects.toEqual(full);
    const reference = { tenant: "tenant-1", definition: "orders", key: "key-1" };
    expect(await submissions.findKey(reference)).toBeUndefined();
    await submissions.purge({ limit: 1 });
    const other = { operation: operation(3, { key: "key-1" }), fingerprint: "1:b" };
    expect(await submissions.record(other)).toEqual({ outcome: "created" });
  });

  it("returns the existing operation to a submission with a known key", async () => {
    const { submissions } = memoryOnClock({ maxOperations: 1 });
    const first = operation(1, { key: "key-1" });
    await submissions.record({ operation: first, fingerprint: "1:a" });
    const again = { operation: operation(2, { key: "key-1" }), fingerprint: "1:a" };
    expect(await submissions.record(again)).toMatchObject({ outcome: "exists", operation: { id: first.id } });
  });

  it("still ends operations and creates their follow-ups", async () => {
    const { operations } = memoryOnClock({ maxOperations: 2 });
    const onEnd = (index: number) => ({ ...operation(index), definition: "notices" });
    await operations.create(operation(1, { onEnd: onEnd(3) }));
    await operations.create(operation(2, { onEnd: onEnd(4) }));
    await claimOne(operations, operation(1).id, { token: "t", leaseMs: 1_000 });
    const lease = { operationId: operation(1).id, token: "t" };
    expect(await operations.settle(lease, { to: "completed" })).toMatchObject({ outcome: "settled" });
    expect(await operations.requestCancel(operation(2).id, "tenant-1")).toBe("cancelled");
    const states = (await allOperations(operations)).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [operation(1).id, "completed"],
      [operation(2).id, "failed"],
      [operation(3).id, "pending"],
      [operation(4).id, "pending"],
    ]);
    await expect(operations.create(operation(5))).rejects.toEqual(full);
  });

  it("refuses a redrive completely and accepts it once there is room", async () => {
    const { operations, submissions } = memoryOnClock({ maxOperations: 2 });
    await operations.create(operation(1, { retentionMs: 1_000 }));
    await operations.requestCancel(operation(1).id, "tenant-1");
    await operations.create(operation(2), { state: "failed", error: "null" });
    const redrive = () => operations.redrive(operation(1).id, { id: operation(3).id, onEndId: "" });
    await expect(redrive()).rejects.toEqual(full);
    expect((await operations.get(operation(1).id, "tenant-1"))?.retriedBy).toBeUndefined();
    await submissions.purge({ limit: 1 });
    const operationId = operation(3).id;
    expect(await redrive()).toEqual({ outcome: "redriven", operationId, created: true });
  });
});

describe("the message of a memory back end that is full", () => {
  it("names the limit of operations and what to do", async () => {
    const { operations } = memoryOnClock({ maxOperations: 1 });
    await operations.create(operation(1));
    await expect(operations.create(operation(2))).rejects.toThrow(
      "OVERLOADED: The memory back end holds at most `maxOperations` operations (1). Raise the option, or shorten " +
        "`retentionMs` of the definitions.",
    );
  });
});

describe("the options of the memory back end", () => {
  const values: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1mb", "10", null];

  it.each(values)("names `maxOperations` when it is %s", (value) => {
    const options = { maxOperations: value } as MemoryBackendOptions;
    expect(() => createMemoryBackend(options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining("maxOperations") }),
    );
  });

  it("accept a limit of 1 and are optional", () => {
    expect(() => createMemoryBackend({ maxOperations: 1 })).not.toThrow();
    expect(() => createMemoryBackend()).not.toThrow();
  });
});
