import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  logEvents,
  type OrderServiceOptions,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { replacing } from "../support/replacing.js";
import { failing } from "../worker/stage.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

function observed(observe: (event: ServiceEvent) => void, options: Partial<OrderServiceOptions> = {}) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const base = { authorize: allowAnonymous(), backend, runtime: { clock } };
  return { clock, service: createOrderService({ ...base, observe, ...options }) };
}

describe("an observer", () => {
  it("sees an operation from acceptance to end, with its id and its attempts", async () => {
    const events: ServiceEvent[] = [];
    const { clock, service } = observed((event) => events.push(event));
    const worker = createWorker(service, {
      orders: (_, { attempt }) => {
        if (attempt === 1) throw new Error("not yet");
      },
    });
    const { headers } = await service.handle(post);
    await service.handle(post);
    await service.handle({ ...post, body: '{"itemId":"b","quantity":1}' });
    await worker.runUntilIdle();
    await clock.advance(1_000);
    await worker.runUntilIdle();
    const operationId = headers.location?.slice("/operations/".length);
    const about = { operationId, definition: "orders", tenant: "anonymous" };
    expect(events).toMatchObject([
      { event: "operation.accepted", ...about },
      { event: "operation.replayed", ...about },
      { event: "key.reused", definition: "orders", tenant: "anonymous" },
      { event: "request.refused", method: "POST", route: "/orders", status: 422 },
      { event: "operation.started", ...about, attempt: 1 },
      { event: "operation.retried", ...about, attempt: 1, error: new Error("not yet") },
      { event: "operation.started", ...about, attempt: 2 },
      { event: "operation.completed", ...about, attempt: 2 },
    ]);
  });

  it("may fail after it has returned, without an unhandled rejection", async () => {
    let handled = 0;
    const failing = {
      // biome-ignore lint/suspicious/noThenProperty: imitates a promise of another realm.
      then: (_: unknown, reject?: (error: Error) => void) => {
        if (reject !== undefined) handled += 1;
        reject?.(new Error("the log is full"));
      },
    };
    const { service } = observed(() => failing as never);
    expect((await service.handle(post)).status).toBe(202);
    expect(handled).toBe(1);
  });

  it("sees the full error, of which the client sees nothing", async () => {
    const events: ServiceEvent[] = [];
    const cause = new Error('relation "secrets" does not exist');
    const memory = createMemoryBackend();
    const submissions = replacing(memory.submissions, { record: () => Promise.reject(cause) });
    const backend = { ...memory, submissions };
    const { service } = observed((event) => events.push(event), { backend });
    const reply = await service.handle(post);
    expect(reply.status).toBe(500);
    expect(reply.body).not.toContain("secrets");
    const where = { method: "POST", route: "/orders" };
    const refused = { event: "request.refused", ...where, status: 500, code: "INTERNAL", error: cause };
    expect(events).toContainEqual(refused);
  });

  it("that throws changes nothing", async () => {
    const { service } = observed(failing(new Error("the log is full")));
    const worker = createWorker(service, { orders: () => "done" });
    const { status, headers } = await service.handle(post);
    await worker.runUntilIdle();
    expect(status).toBe(202);
    const reply = await service.handle({ ...post, method: "GET", path: headers.location ?? "" });
    expect(JSON.parse(reply.body as string)).toMatchObject({ status: "completed" });
  });
});

describe("logEvents", () => {
  it("logs with the argument order of pino: fields first, then the message", async () => {
    const lines: unknown[] = [];
    const level = (name: string) => (fields: object, message: string) =>
      void lines.push([name, message, fields]);
    const logger = { info: level("info"), warn: level("warn"), error: level("error") };
    const { service } = observed(logEvents(logger));
    const worker = createWorker(service, { orders: failing(permanentFailure("Sold out.")) });
    await service.handle(post);
    await service.handle({ ...post, body: "{" });
    await worker.runUntilIdle();
    expect(lines).toMatchObject([
      ["info", "operation.accepted", { event: "operation.accepted" }],
      ["warn", "request.refused", { status: 400 }],
      ["info", "operation.started", { attempt: 1 }],
      ["warn", "operation.failed", { attempt: 1 }],
    ]);
  });

  it("describes a client's mistake in a sentence and passes on full errors of the service", async () => {
    const errors: unknown[] = [];
    const take = (fields: object): void => void errors.push((fields as { error?: unknown }).error);
    const observe = logEvents({ info: () => {}, warn: take, error: take });
    const fault = new Error("the disk is gone");
    await observed(observe).service.handle({ ...post, body: "{" });
    await observed(observe, { admit: () => Promise.reject(fault) }).service.handle(post);
    expect(errors).toEqual(["AsyncReplyError: MALFORMED_BODY: The body is not valid JSON.", fault]);
  });
});
