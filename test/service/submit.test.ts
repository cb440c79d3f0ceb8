import {
  type CreateResource,
  createWorker,
  defineOperation,
  defineOrders,
  type Order,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { transactionalBackend } from "../support/transactional-backend.js";
import { jsonPost, openService } from "./open-service.js";

const orders = defineOrders();
const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ year: z.int(), title: z.string().default("Report") }),
  result: z.object({ at: z.string().transform((text) => new Date(text)) }),
  idempotencyKey: "required",
});
const ORDER = { itemId: "pen", quantity: 2 };
const tenant = "anonymous";

function open(create?: CreateResource<Order>) {
  const stage = openService([orders, reports], create && { create: { orders: create } });
  const post = (key: string) => stage.service.handle(jsonPost("/orders", ORDER, { "idempotency-key": key }));
  return { ...stage, post };
}

describe("service.submit", () => {
  it("accepts the same input as a request, and shares its keys", async () => {
    const { service, post, events } = open();
    const submitted = await service.submit(orders, ORDER, { tenant, key: "k" });
    expect(submitted).toEqual({ operationId: expect.any(String), status: "pending", replayed: false });
    const reply = await post("k");
    expect(JSON.parse(String(reply.body)).operationId).toBe(submitted.operationId);
    const replayed = { ...submitted, replayed: true };
    expect(await service.submit(orders, ORDER, { tenant, key: "k" })).toEqual(replayed);
    const reported = ["operation.accepted", "operation.replayed", "operation.replayed"];
    expect(events.map(({ event }) => event)).toEqual(reported);
    const other = service.submit(orders, { ...ORDER, quantity: 3 }, { tenant, key: "k" });
    await expect(other).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("keeps tenants apart", async () => {
    const { service } = open();
    const one = await service.submit(orders, ORDER, { tenant: "one", key: "k" });
    const other = await service.submit(orders, ORDER, { tenant: "other", key: "k" });
    expect(other).toMatchObject({ replayed: false });
    expect(await service.get(orders, one.operationId, { tenant: "other" })).toBeUndefined();
    const unknown = { outcome: "unknown" };
    expect(await service.cancel(orders, one.operationId, { tenant: "other" })).toEqual(unknown);
    expect(await service.cancel(reports, one.operationId, { tenant })).toEqual(unknown);
  });

  it("announces the operation, so that a waiting worker starts immediately", async () => {
    const { service } = open();
    const done = vi.fn();
    const processors = { orders: ({ itemId }: Order) => done(itemId) };
    const worker = createWorker(service, processors, { sweepIntervalMs: 3_600_000 });
    await worker.start();
    await service.submit(orders, ORDER, { tenant });
    await vi.waitUntil(() => done.mock.calls.length === 1);
    await service.close();
    expect(done).toHaveBeenCalledWith("pen");
  });

  it("runs the work when the delay is over, not earlier", async () => {
    const { service, clock } = open();
    const run = vi.fn();
    const { operationId } = await service.submit(orders, ORDER, { tenant, delayMs: 86_400_000 });
    const worker = createWorker(service, { orders: run });
    await clock.advance(86_399_999);
    await worker.runUntilIdle();
    expect(run).not.toHaveBeenCalled();
    const waiting = { status: "pending", attempt: 0 };
    expect(await service.get(orders, operationId, { tenant })).toMatchObject(waiting);
    await clock.advance(1);
    await worker.runUntilIdle();
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("creates the resource like a request", async () => {
    const create = vi.fn<CreateResource<Order>>(({ itemId }) => ({ body: { itemId }, location: "/made/1" }));
    const { service, post } = open(create);
    const submitted = await service.submit(orders, ORDER, { tenant, key: "k" });
    const resource = { body: { itemId: "pen" }, location: "/made/1" };
    expect(submitted).toMatchObject({ replayed: false, resource });
    expect((await post("k")).status).toBe(201);
    const replayed = { ...submitted, replayed: true };
    expect(await service.submit(orders, ORDER, { tenant, key: "k" })).toEqual(replayed);
    expect(create).toHaveBeenCalledTimes(1);
    expect(create.mock.calls[0]?.[1]).toMatchObject({ operationId: submitted.operationId, tenant });
    const delayed = service.submit(orders, ORDER, { tenant, delayMs: 1 });
    const detail = expect.stringContaining("delayMs");
    await expect(delayed).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it.each([
    ["an input that the schema refuses", "CONTRACT_VIOLATION", { input: { ...ORDER, quantity: 0 } }],
    ["an input that JSON cannot represent", "MALFORMED_BODY", { input: { ...ORDER, extra: new Map() } }],
    ["an input over the limit", "MALFORMED_BODY", { input: { itemId: "x".repeat(70_000), quantity: 1 } }],
    ["a key that is too long", "INVALID_IDEMPOTENCY_KEY", { key: "k".repeat(256) }],
    ["a key with characters outside ASCII", "INVALID_IDEMPOTENCY_KEY", { key: "ключ" }],
    ["an empty tenant", "INVALID_OPTION", { tenant: "" }],
    ["no tenant", "INVALID_OPTION", { tenant: undefined }],
    ["an invalid delay", "INVALID_OPTION", { delayMs: -1 }],
    ["a `webhookUrl` without webhooks", "INVALID_OPTION", { webhookUrl: "https://hooks.example/" }],
    ["a transaction that the back end cannot share", "NO_TRANSACTIONS", { tx: {} }],
    ["no key though one is required", "MISSING_IDEMPOTENCY_KEY", { definition: reports, input: { year: 1 } }],
    ["a definition of another service", "INVALID_OPTION", { definition: { ...orders, name: "others" } }],
    ["no definition", "INVALID_OPTION", { definition: undefined }],
  ])("refuses %s as %s and records nothing", async (_, code, given) => {
    const { service, backend } = open();
    const { definition, input, ...options } = { definition: orders, input: ORDER, tenant, ...given };
    await expect(service.submit(definition as never, input as never, options as never)).rejects.toMatchObject(
      { code },
    );
    expect(await backend.operations.list({ limit: 1, internal: true })).toEqual([]);
  });

  it("lists the known definitions if it gets another one", async () => {
    const { service } = open();
    const submitting = service.submit({ ...orders, name: "others" as "orders" }, ORDER, { tenant });
    await expect(submitting).rejects.toThrow(
      'Unknown definition "others". Known definitions: orders, reports.',
    );
  });

  it.each([
    ["a name", "orders", '"orders"'],
    ["an input", ORDER, "an object"],
  ])("says that it needs a definition if it gets %s", async (_, given, shown) => {
    const submitting = open().service.submit(given as unknown as typeof orders, ORDER, { tenant });
    await expect(submitting).rejects.toThrow(
      `Expected a definition, not ${shown}. Pass what defineOperation() returned. Known definitions: orders, reports.`,
    );
  });
});

it("refuses a key whose earlier submission has not created its resource, which no client can read yet", async () => {
  const clock = createManualClock();
  const { backend, transactions } = transactionalBackend(clock);
  const { service } = openService([orders], {
    backend,
    create: { orders: async () => ({ body: {} }) },
    runtime: { clock, hash: (text) => text },
  });
  const id = "00000000-0000-7000-8000-000000000001";
  const given = { id, tenant, definition: "orders", key: "k", input: JSON.stringify(ORDER) };
  // Its process dies now.
  await backend.submissions.record({
    operation: { ...given, retentionMs: 3_600_000 },
    fingerprint: `1:${given.input}`,
    initial: { state: "preparing", token: "token", leaseMs: 30_000 },
  });
  const submit = () => transactions.run((tx) => service.submit(orders, ORDER, { tenant, key: "k", tx }));
  await expect(submit()).rejects.toMatchObject({ code: "CREATION_IN_PROGRESS" });
  await clock.advance(30_000);
  await service.submit(orders, ORDER, { tenant, key: "k" });
  const replayed = { operationId: id, status: "pending", replayed: true, resource: { body: {} } };
  expect(await submit()).toEqual(replayed);
});

describe("service.get", () => {
  it("shows the operation with progress and result in the form of the schemas", async () => {
    const { service, clock } = open();
    const { operationId } = await service.submit(reports, { year: 2026 }, { tenant, key: "k" });
    const createdAt = new Date(clock.now());
    const pending = { operationId, definition: "reports", status: "pending", attempt: 0, createdAt };
    expect(await service.get(reports, operationId, { tenant })).toEqual(pending);
    await clock.advance(5);
    const worker = createWorker(service, {
      reports: ({ title }) => ({ at: title === "Report" ? "2026-01-01" : "" }),
    });
    await worker.runUntilIdle();
    expect(await service.get(reports, operationId, { tenant })).toEqual({
      ...pending,
      status: "completed",
      attempt: 1,
      finishedAt: new Date(clock.now()),
      result: { at: "2026-01-01T00:00:00.000Z" },
    });
  });

  it("finds nothing under another definition or with an invalid id", async () => {
    const { service } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant });
    expect(await service.get(reports, operationId, { tenant })).toBeUndefined();
    expect(await service.get(orders, "42", { tenant })).toBeUndefined();
  });
});

describe("service.cancel", () => {
  it("ends waiting operations, notifies running ones and leaves ended ones unchanged", async () => {
    const { service } = open();
    const { operationId: waiting } = await service.submit(orders, ORDER, { tenant });
    const first = await service.cancel(orders, waiting, { tenant });
    const operation = { operationId: waiting, status: "failed" };
    expect(first).toMatchObject({ outcome: "cancelled", operation });
    expect(await service.cancel(orders, waiting, { tenant })).toEqual({ ...first, outcome: "terminal" });
    expect(await service.get(orders, waiting, { tenant })).toEqual(first.operation);
    const { operationId: running } = await service.submit(orders, ORDER, { tenant });
    const outcomes: unknown[] = [];
    const worker = createWorker(service, {
      orders: async (_, job) => void outcomes.push(await service.cancel(orders, job.operationId, { tenant })),
    });
    await worker.runUntilIdle();
    expect(outcomes).toMatchObject([{ outcome: "requested", operation: { cancelRequested: true } }]);
    expect(await service.get(orders, running, { tenant })).toMatchObject({ status: "completed" });
  });
});
