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

const operationId = "01a1fb05-4b30-709b-a295-a270486ef39a";
const ABOUT = { operationId, definition: "orders", tenant: "anonymous" };
const BINDING = { ...ABOUT, key: "k1", fingerprint: "1:x" };

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
  const get = (path: string) => service.handle({ ...post, method: "GET", path });
  const read = async (path: string): Promise<number> => (await get(path)).status;
  const work = () => worker.runUntilIdle();
  const workAfter = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await work();
  };
  return { clock, stores, backend, events, service, submit, get, read, work, workAfter };
}

describe.each(["composed", "atomic"] as const)("the purge of a back end whose record is %s", (kind) => {
  it("keeps key and operation for the retention, counted from the terminal state", async () => {
    const { submit, read, workAfter } = stage(kind);
    const first = await submit();
    await workAfter(2 * HOUR_MS);
    await workAfter(HOUR_MS - 1);
    expect(await read(first)).toBe(200);
    expect(await submit()).toBe(first);
  });

  it.each([
    [{}, 7 * 24 * HOUR_MS],
    [{ retentionMs: 8 * 24 * HOUR_MS }, 8 * 24 * HOUR_MS],
    [{ failedRetentionMs: HOUR_MS }, HOUR_MS],
  ])("keeps a failed operation and its key for `failedRetentionMs`, with %o", async (options, keptMs) => {
    const { submit, read, work, workAfter } = stage(kind, options, () =>
      Promise.reject(permanentFailure("no")),
    );
    const first = await submit();
    await work();
    await workAfter(keptMs - 1);
    expect([await read(first), await submit()]).toEqual([200, first]);
    await workAfter(1);
    expect(await submit()).not.toBe(first);
    await workAfter(GRACE_MS);
    expect(await read(first)).toBe(404);
  });

  it("then deletes both, so that the key starts a new operation", async () => {
    const { submit, read, backend, work, workAfter } = stage(kind);
    const first = await submit();
    await work();
    await workAfter(HOUR_MS);
    const second = await submit();
    expect(second).not.toBe(first);
    await workAfter(GRACE_MS);
    expect(await read(first)).toBe(404);
    expect(await read(second)).toBe(200);
    expect(await backend.operations.list({ internal: true, limit: 10 })).toHaveLength(1);
  });

  it("keeps each operation as long as its definition said, even if the worker knows another definition", async () => {
    const { clock, backend, submit, read, work, workAfter } = stage(kind);
    const input = z.unknown();
    const reports = defineOperation({ name: "reports", path: "/reports", input, retentionMs: 5 * HOUR_MS });
    const authorize = allowAnonymous();
    const other = createService({ definitions: [reports], backend, authorize, runtime: { clock } });
    const { headers } = await other.handle({ ...post, path: "/reports", body: "1" });
    const [order, report] = [await submit(), headers.location ?? ""];
    const readReport = async () => (await other.handle({ ...post, method: "GET", path: report })).status;
    await work();
    await createWorker(other, { reports: () => "done" }).runUntilIdle();
    await workAfter(HOUR_MS);
    await workAfter(GRACE_MS);
    expect([await read(order), await readReport()]).toEqual([404, 200]);
    await workAfter(5 * HOUR_MS);
    await workAfter(GRACE_MS);
    expect(await readReport()).toBe(404);
  });

  it("never takes an operation that is not terminal, at any age", async () => {
    const { clock, service, submit, read } = stage(kind);
    const orders = () => Promise.reject(new Error("not yet"));
    const worker = createWorker(service, { orders }, { maxAttempts: 100 });
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
    const { submit, read, work, workAfter } = stage("composed");
    const first = await submit();
    await work();
    await workAfter(HOUR_MS);
    expect(await submit()).not.toBe(first);
    await workAfter(GRACE_MS - 1);
    expect(await read(first)).toBe(200);
  });
});

describe("a binding without an operation", () => {
  it("becomes a failed operation after 7 days and is not released", async () => {
    const { stores, backend, events, workAfter, get } = stage("composed");
    await stores.idempotency.bind(BINDING);
    await workAfter(7 * 24 * HOUR_MS - 1);
    expect(await backend.operations.get(operationId, "anonymous")).toBeUndefined();
    await workAfter(1);
    const reply = await get(`/operations/${operationId}`);
    expect(JSON.parse(reply.body as string)).toMatchObject({
      status: "failed",
      error: { type: problemType("abandoned") },
    });
    expect(events).toContainEqual({ event: "operation.abandoned", ...ABOUT });
    const again = await stores.idempotency.bind({ ...BINDING, operationId: "another" });
    expect(again).toMatchObject({ outcome: "exists" });
  });
});

describe("an operation that was never finished", () => {
  it("is found behind more old keys than a batch has, whose operations all exist", async () => {
    const { stores, events, workAfter } = stage("composed");
    const { operations, idempotency } = stores;
    const about = { tenant: "anonymous", definition: "unknown", fingerprint: "1:x" };
    const idOf = (index: number): string => `01a1fb05-4b30-709b-a295-${String(index).padStart(12, "0")}`;
    for (let index = 0; index < 600; index += 1) {
      const key = `k${index}`;
      await idempotency.bind({ ...about, key, operationId: idOf(index) });
      await operations.create({ id: idOf(index), ...about, key, input: "1", retentionMs: HOUR_MS });
    }
    await idempotency.bind({ ...about, key: "last", operationId: idOf(600) });
    await workAfter(7 * 24 * HOUR_MS);
    const abandoned = events.filter(({ event }) => event === "operation.abandoned");
    expect(abandoned).toMatchObject([{ operationId: idOf(600) }]);
  });

  it.each([
    ["orders", HOUR_MS],
    ["unknown", 7 * 24 * HOUR_MS],
  ])("is kept for the retention of its definition, or 7 days: %s", async (definition, failedRetentionMs) => {
    const { stores, backend, workAfter } = stage("composed", { failedRetentionMs: HOUR_MS });
    await stores.idempotency.bind({ ...BINDING, definition });
    await workAfter(7 * 24 * HOUR_MS);
    expect(await backend.operations.get(operationId, "anonymous")).toMatchObject({
      state: "failed",
      retentionMs: 24 * HOUR_MS,
      failedRetentionMs,
    });
  });
});

describe("the sweep", () => {
  it("continues with its other parts if one fails", async () => {
    const { backend, service, submit, get, read, events } = stage("atomic");
    const purge = (): Promise<never> => Promise.reject(new Error("purge is down"));
    const submissions = replacing(backend.submissions, { purge });
    const path = await submit();
    const source = { ...service, backend: { ...backend, submissions } };
    await createWorker(source, { orders: () => "done" }).runUntilIdle();
    expect(JSON.parse((await get(path)).body as string).status).toBe("completed");
    const error = new Error("purge is down");
    expect(events).toContainEqual({ event: "background.failed", step: "purge", error });
    expect(await read(path)).toBe(200);
  });
});
