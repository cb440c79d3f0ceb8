import {
  allowAnonymous,
  type Backend,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  type OrderServiceOptions,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";

const HOUR_MS = 3_600_000;
const GRACE_MS = 300_000;

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

function stage(
  kind: "composed" | "atomic",
  retention: Pick<OrderServiceOptions, "retentionMs" | "failedRetentionMs"> = { retentionMs: HOUR_MS },
  process: () => unknown = () => "done",
) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const backend: Backend =
    kind === "composed" ? composeStores(stores, { clock }) : createMemoryBackend({ clock });
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    backend,
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: (event) => events.push(event),
    ...retention,
  });
  const worker = createWorker(service, { orders: process });
  const submit = async (): Promise<string> => (await service.handle(post)).headers.location ?? "";
  const read = async (path: string): Promise<number> =>
    (await service.handle({ ...post, method: "GET", path })).status;
  return { clock, stores, backend, events, service, worker, submit, read };
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

  it.each([
    [{}, 7 * 24 * HOUR_MS],
    [{ retentionMs: 8 * 24 * HOUR_MS }, 8 * 24 * HOUR_MS],
    [{ failedRetentionMs: HOUR_MS }, HOUR_MS],
  ])("keeps a failed operation and its key for `failedRetentionMs`, with %o", async (options, keptMs) => {
    const { clock, worker, submit, read } = stage(kind, options, () => {
      throw permanentFailure("no");
    });
    const first = await submit();
    await worker.runUntilIdle();
    await clock.advance(keptMs - 1);
    await worker.runUntilIdle();
    expect([await read(first), await submit()]).toEqual([200, first]);
    await clock.advance(1);
    await worker.runUntilIdle();
    expect(await submit()).not.toBe(first);
    await clock.advance(GRACE_MS);
    await worker.runUntilIdle();
    expect(await read(first)).toBe(404);
  });

  it("then deletes both, so that the key starts a new operation", async () => {
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
    expect(await backend.operations.list({ internal: true, limit: 10 })).toHaveLength(1);
  });

  it("keeps each operation as long as its definition said, even if the worker knows another definition", async () => {
    const { clock, backend, service, submit, read } = stage(kind);
    const input = z.unknown();
    const reports = defineOperation({ name: "reports", path: "/reports", input, retentionMs: 5 * HOUR_MS });
    const other = createService({
      definitions: [reports],
      backend,
      authorize: allowAnonymous(),
      runtime: { clock },
    });
    const { headers } = await other.handle({ ...post, path: "/reports", body: "1" });
    const [order, report] = [await submit(), headers.location ?? ""];
    const working = createWorker(service, { orders: () => "done" });
    await working.runUntilIdle();
    await createWorker(other, { reports: () => "done" }).runUntilIdle();
    await clock.advance(HOUR_MS);
    await working.runUntilIdle();
    await clock.advance(GRACE_MS);
    await working.runUntilIdle();
    expect([
      await read(order),
      (await other.handle({ ...post, method: "GET", path: report })).status,
    ]).toEqual([404, 200]);
    await clock.advance(5 * HOUR_MS);
    await working.runUntilIdle();
    await clock.advance(GRACE_MS);
    await working.runUntilIdle();
    expect((await other.handle({ ...post, method: "GET", path: report })).status).toBe(404);
  });

  it("never takes an operation that is not terminal, at any age", async () => {
    const { clock, service, submit, read } = stage(kind);
    const worker = createWorker(
      service,
      {
        orders: () => {
          throw new Error("not yet");
        },
      },
      { maxAttempts: 100 },
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
  it("keeps the operation for a grace period longer than its key", async () => {
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

describe("a binding without an operation", () => {
  it("becomes a failed operation after 7 days and is not released", async () => {
    const { clock, stores, backend, worker, service, events } = stage("composed");
    const operationId = "01a1fb05-4b30-709b-a295-a270486ef39a";
    const binding = { tenant: "anonymous", definition: "orders", key: "k1", fingerprint: "1:x", operationId };
    await stores.idempotency.bind(binding);
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
    const about = { operationId, definition: "orders", tenant: "anonymous" };
    expect(events).toContainEqual({ event: "operation.abandoned", ...about });
    expect(await stores.idempotency.bind({ ...binding, operationId: "another" })).toMatchObject({
      outcome: "exists",
    });
  });
});

describe("an operation that was never finished", () => {
  it("is found behind more old keys than a batch has, whose operations all exist", async () => {
    const { clock, stores, events, worker } = stage("composed");
    const { operations, idempotency } = stores;
    const about = { tenant: "anonymous", definition: "unknown", fingerprint: "1:x" };
    const idOf = (index: number): string => `01a1fb05-4b30-709b-a295-${String(index).padStart(12, "0")}`;
    for (let index = 0; index < 600; index += 1) {
      const key = `k${index}`;
      await idempotency.bind({ ...about, key, operationId: idOf(index) });
      await operations.create({ id: idOf(index), ...about, key, input: "1", retentionMs: HOUR_MS });
    }
    await idempotency.bind({ ...about, key: "last", operationId: idOf(600) });
    await clock.advance(7 * 24 * HOUR_MS);
    await worker.runUntilIdle();
    const abandoned = events.filter(({ event }) => event === "operation.abandoned");
    expect(abandoned).toMatchObject([{ operationId: idOf(600) }]);
  });

  it.each([
    ["orders", HOUR_MS],
    ["unknown", 7 * 24 * HOUR_MS],
  ])("is kept for the retention of its definition, or 7 days: %s", async (definition, failedRetentionMs) => {
    const { clock, stores, backend, worker } = stage("composed", { failedRetentionMs: HOUR_MS });
    const operationId = "01a1fb05-4b30-709b-a295-a270486ef39a";
    await stores.idempotency.bind({
      tenant: "anonymous",
      definition,
      key: "k1",
      fingerprint: "1:x",
      operationId,
    });
    await clock.advance(7 * 24 * HOUR_MS);
    await worker.runUntilIdle();
    expect(await backend.operations.get(operationId, "anonymous")).toMatchObject({
      state: "failed",
      retentionMs: 24 * HOUR_MS,
      failedRetentionMs,
    });
  });
});

describe("the sweep", () => {
  it("continues with its other parts if one fails", async () => {
    const { backend, service, submit, read, events } = stage("atomic");
    const purge = (): Promise<never> => Promise.reject(new Error("purge is down"));
    const submissions = replacing(backend.submissions, { purge });
    const path = await submit();
    const worker = createWorker(
      { ...service, backend: { ...backend, submissions } },
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
