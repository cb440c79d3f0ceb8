import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createOrderService,
  createWorker,
  problemType,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { replacing } from "../replacing.js";

const HOUR_MS = 3_600_000;
const GRACE_MS = 300_000;

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

function stage(kind: "composed" | "atomic") {
  const clock = createManualClock();
  const { submissions, ...composed } = createMemoryBackend({ clock });
  const backend: Backend =
    kind === "composed" || submissions === undefined ? composed : { ...composed, submissions };
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    backend,
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: (event) => events.push(event),
  });
  const worker = createWorker(
    service,
    { orders: () => "done" },
    { retentionMs: HOUR_MS, purgeGraceMs: GRACE_MS },
  );
  const submit = async (): Promise<string> => (await service.handle(post)).headers.location ?? "";
  const read = async (path: string): Promise<number> =>
    (await service.handle({ ...post, method: "GET", path })).status;
  return { clock, backend, events, service, worker, submit, read };
}

describe.each(["composed", "atomic"] as const)("the purge of a back end whose record is %s", (kind) => {
  it("keeps key and operation for the retention, counted from the terminal state", async () => {
    const { clock, worker, submit, read } = stage(kind);
    const first = await submit();
    await clock.advance(2 * HOUR_MS);
    await worker.runUntilIdle();
    await clock.advance(HOUR_MS - 1);
    await worker.runUntilIdle();
    expect(await read(first)).toBe(200);
    expect(await submit()).toBe(first);
  });

  it("then forgets both, so that the key makes a new operation", async () => {
    const { clock, worker, submit, read, backend } = stage(kind);
    const first = await submit();
    await worker.runUntilIdle();
    await clock.advance(HOUR_MS);
    await worker.runUntilIdle();
    const second = await submit();
    expect(second).not.toBe(first);
    await clock.advance(GRACE_MS);
    await worker.runUntilIdle();
    expect(await read(first)).toBe(404);
    expect(await read(second)).toBe(200);
    expect(await backend.operations.list?.({ limit: 10 })).toHaveLength(1);
  });

  it("never takes an operation that is not terminal, however old", async () => {
    const { clock, service, submit, read } = stage(kind);
    const worker = createWorker(
      service,
      {
        orders: () => {
          throw new Error("not yet");
        },
      },
      { retentionMs: 1, maxAttempts: 100 },
    );
    const path = await submit();
    for (let day = 0; day < 3; day += 1) {
      await clock.advance(24 * HOUR_MS);
      await worker.runUntilIdle();
    }
    expect(await read(path)).toBe(200);
    expect(await submit()).toBe(path);
  });
});

describe("the purge of two stores", () => {
  it("keeps the operation a grace longer than its key", async () => {
    const { clock, worker, submit, read } = stage("composed");
    const first = await submit();
    await worker.runUntilIdle();
    await clock.advance(HOUR_MS);
    await worker.runUntilIdle();
    expect(await submit()).not.toBe(first);
    await clock.advance(GRACE_MS - 1);
    await worker.runUntilIdle();
    expect(await read(first)).toBe(200);
  });
});

describe("a claim that never got its operation", () => {
  it("is ended as a failed operation after 7 days, not released", async () => {
    const { clock, backend, worker, service, events } = stage("composed");
    const operationId = "01a1fb05-4b30-709b-a295-a270486ef39a";
    const claim = { scope: "anonymous", definition: "orders", key: "k1", fingerprint: "1:x", operationId };
    await backend.idempotency.claim(claim);
    await clock.advance(7 * 24 * HOUR_MS - 1);
    await worker.runUntilIdle();
    expect(await backend.operations.get(operationId, "anonymous")).toBeUndefined();
    await clock.advance(1);
    await worker.runUntilIdle();
    const reply = await service.handle({ ...post, method: "GET", path: `/operations/${operationId}` });
    expect(JSON.parse(reply.body as string)).toMatchObject({
      status: "failed",
      error: { type: problemType("abandoned") },
    });
    expect(events).toContainEqual({ event: "operation.abandoned", operationId, definition: "orders" });
    expect(await backend.idempotency.claim({ ...claim, operationId: "another" })).toMatchObject({
      outcome: "exists",
    });
  });
});

describe("the sweep", () => {
  it("goes on with its other parts when one fails", async () => {
    const { clock, backend, service, submit, read, events } = stage("composed");
    const takeExpired = (): Promise<never> => Promise.reject(new Error("purge is down"));
    const operations = replacing(backend.operations, { takeExpired });
    const path = await submit();
    await service.announcer.idle();
    await clock.advance(30_000);
    const worker = createWorker(
      { ...service, backend: { ...backend, operations } },
      { orders: () => "done" },
    );
    await worker.runUntilIdle();
    expect(JSON.parse((await service.handle({ ...post, method: "GET", path })).body as string).status).toBe(
      "completed",
    );
    expect(events).toContainEqual({
      event: "background.failed",
      step: "purge",
      error: new Error("purge is down"),
    });
    expect(await read(path)).toBe(200);
  });
});
