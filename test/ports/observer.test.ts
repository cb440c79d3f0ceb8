import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  logEvents,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

function observed(observe: (event: ServiceEvent) => void) {
  const clock = createManualClock();
  const service = createOrderService({ authorize: allowAnonymous(), runtime: { clock }, observe });
  return { clock, service };
}

describe("an observer", () => {
  it("sees an operation from its acceptance to its end, with its id and its attempts", async () => {
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
    const about = { operationId, definition: "orders" };
    expect(events).toMatchObject([
      { event: "operation.accepted", ...about, scope: "anonymous" },
      { event: "operation.replayed", ...about, scope: "anonymous" },
      { event: "key.reused", definition: "orders", scope: "anonymous" },
      { event: "request.refused", status: 422, code: "IDEMPOTENCY_KEY_REUSED" },
      { event: "operation.started", ...about, attempt: 1 },
      { event: "operation.retried", ...about, attempt: 1, error: new Error("not yet") },
      { event: "operation.started", ...about, attempt: 2 },
      { event: "operation.completed", ...about, attempt: 2 },
    ]);
  });

  it("sees the whole of an error of which the client sees nothing", async () => {
    const events: ServiceEvent[] = [];
    const cause = new Error('relation "secrets" does not exist');
    const { submissions: _, ...backend } = createMemoryBackend();
    const service = createOrderService({
      authorize: allowAnonymous(),
      backend: {
        ...backend,
        idempotency: { ...backend.idempotency, claim: () => Promise.reject(cause) } as never,
      },
      observe: (event) => events.push(event),
    });
    const reply = await service.handle(post);
    expect(reply.status).toBe(500);
    expect(reply.body).not.toContain("secrets");
    expect(events).toContainEqual({ event: "request.refused", status: 500, code: "INTERNAL", error: cause });
  });

  it("that throws changes nothing", async () => {
    const { service } = observed(() => {
      throw new Error("the log is full");
    });
    const worker = createWorker(service, { orders: () => "done" });
    const { status, headers } = await service.handle(post);
    await worker.runUntilIdle();
    expect(status).toBe(202);
    const reply = await service.handle({ ...post, method: "GET", path: headers.location ?? "" });
    expect(JSON.parse(reply.body as string)).toMatchObject({ status: "completed" });
  });
});

describe("logEvents", () => {
  it("logs with pino's call shape: fields first, then the message", async () => {
    const lines: unknown[] = [];
    const level = (name: string) => (fields: object, message: string) =>
      void lines.push([name, message, fields]);
    const { service } = observed(
      logEvents({ info: level("info"), warn: level("warn"), error: level("error") }),
    );
    const worker = createWorker(service, {
      orders: () => {
        throw permanentFailure("Sold out.");
      },
    });
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

  it("tells a client's mistake in a sentence, and hands on the whole of an error of the service", async () => {
    const errors: unknown[] = [];
    const take = (fields: object): void => void errors.push((fields as { error?: unknown }).error);
    const { service } = observed(logEvents({ info: () => {}, warn: take, error: take }));
    const fault = new Error("the disk is gone");
    const broken = createOrderService({
      authorize: allowAnonymous(),
      admit: () => Promise.reject(fault),
      observe: logEvents({ info: () => {}, warn: take, error: take }),
    });
    await service.handle({ ...post, body: "{" });
    await broken.handle(post);
    expect(errors).toEqual([expect.stringMatching(/^SyntaxError: /), fault]);
  });
});
