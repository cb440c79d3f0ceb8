import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/platform/waits.js";
import { answers, createOutputStage, place, plain, tenant } from "../support/output-stage.js";
import { isSettled } from "../support/waiting-service.js";

const part = (at: number, chunks: string, count: number, epoch = 1) => ({
  at,
  chunks: [...chunks],
  position: place(epoch, count),
});

/** Reads everything. */
async function toArray<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe("service.output", () => {
  it("iterates over the parts of an output as it grows, and ends with the operation", async () => {
    const { service, start } = createOutputStage();
    const writing = await start();
    await writing.write("ab");
    const parts = service.output(answers, writing.operationId, { tenant });
    expect((await parts.next()).value).toEqual(part(0, "ab", 2));
    const next = parts.next();
    expect(await isSettled(next)).toBe(false);
    await writing.write("c");
    expect((await next).value).toEqual(part(2, "c", 3));
    const last = parts.next();
    await writing.complete();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it("goes on after a position", async () => {
    const { service, start } = createOutputStage();
    const writing = await start();
    await writing.write("abc");
    await writing.complete();
    const from = place(1, 1);
    expect(await toArray(service.output(answers, writing.operationId, { tenant, from }))).toEqual([
      part(1, "bc", 3),
    ]);
  });

  it("tells how much stands after a discard, also of one that happened before", async () => {
    const { service, start } = createOutputStage();
    const first = await start();
    await first.write("ab", '{"next":1}');
    await first.write("cd");
    const parts = service.output(answers, first.operationId, { tenant });
    expect((await parts.next()).value).toEqual(part(0, "abcd", 4));
    const next = parts.next();
    await first.again(2);
    expect((await next).value).toEqual(part(2, "", 2));
    await first.write("C");
    await first.complete();
    expect(await toArray(parts)).toEqual([part(2, "C", 3, 2)]);
    const from = place(1, 4);
    expect(await toArray(service.output(answers, first.operationId, { tenant, from }))).toEqual([
      part(2, "", 2),
      part(2, "C", 3, 2),
    ]);
  });

  it("polls if all places are taken", async () => {
    const { service, clock, start } = createOutputStage({ maxWaiters: 1 });
    const [writing, other] = [await start(), await start()];
    const holding = service.output(answers, other.operationId, { tenant });
    const held = holding.next();
    await nextTurn();
    const parts = service.output(answers, writing.operationId, { tenant });
    const next = parts.next();
    await nextTurn();
    await writing.write("a");
    await clock.advance(5_000);
    expect((await next).value).toEqual(part(0, "a", 1));
    await writing.complete();
    expect((await parts.next()).done).toBe(true);
    await other.complete();
    await held;
  });

  it("frees its place when the caller stops, and ends with the signal and the service", async () => {
    const { service, start } = createOutputStage({ maxWaiters: 1 });
    const writing = await start();
    await writing.write("a");
    for await (const { chunks } of service.output(answers, writing.operationId, { tenant })) {
      expect(chunks).toEqual(["a"]);
      break;
    }
    const from = place(1, 1);
    const leaving = new AbortController();
    const left = service
      .output(answers, writing.operationId, { tenant, from, signal: leaving.signal })
      .next();
    await nextTurn();
    const reason = new Error("no longer needed");
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    const closed = service.output(answers, writing.operationId, { tenant, from }).next();
    await nextTurn();
    void service.close();
    await expect(closed).rejects.toMatchObject({ code: "SERVICE_CLOSED" });
  });

  it("refuses what is not there, and what is no position", async () => {
    const { service, start } = createOutputStage();
    const { operationId } = await start();
    const reading = (id: string, options: object, definition: unknown = answers) =>
      service.output(definition as typeof answers, id, { tenant, ...options }).next();
    await expect(reading(randomUUID(), {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(reading(operationId, { tenant: "other" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(reading(operationId, {}, plain)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(reading(operationId, { from: "5" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
