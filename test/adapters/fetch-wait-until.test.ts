import {
  bearer,
  createMemoryBackend,
  createOrderService,
  type OrderServiceOptions,
} from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { ORDER, request, submission, TOKENS } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toRequest } from "../support/fetch-harness.js";
import { interceptBackend } from "../support/intercept-backend.js";
import { isSettled } from "../support/waiting-service.js";
import { signalOf } from "../support/worker-stage.js";

/** Behaves like the context that Workers pass: `waitUntil` must be called as a method. */
class ExecutionContext {
  readonly pending: Promise<unknown>[] = [];

  waitUntil(work: Promise<unknown>): void {
    this.pending.push(work);
  }
}

/** Creates a handler of orders whose queue publishes nothing until `publish` is called. */
function createOrders(options: Partial<OrderServiceOptions> = {}) {
  const mayPublish = signalOf();
  const backend = interceptBackend(createMemoryBackend(), async ({ method }, proceed) => {
    if (method === "publish") await mayPublish.promise;
    return proceed();
  });
  const handler = toFetchHandler(createOrderService({ backend, authorize: bearer(TOKENS), ...options }));
  const send = (wire: WireRequest, context?: object) => handler(toRequest(wire), context);
  return { send, publish: mayPublish.resolve };
}

describe("S19: waitUntil on the second argument", () => {
  it("is called as a method with the pending announcement, and the reply does not wait for it", async () => {
    const { send, publish } = createOrders();
    const context = new ExecutionContext();
    expect((await send(submission(), context)).status).toBe(202);
    expect(context.pending).toHaveLength(1);
    const done = Promise.all(context.pending);
    expect(await isSettled(done)).toBe(false);
    publish();
    await done;
  });

  it("is called once per accepted submission, and never for a replay, a refusal or a status request", async () => {
    const { send } = createOrders({ cancellable: true });
    const callsFor = async (wire: WireRequest): Promise<readonly [number, number]> => {
      const context = new ExecutionContext();
      return [(await send(wire, context)).status, context.pending.length];
    };
    const keyed = { "idempotency-key": "k" };
    expect(await callsFor(submission())).toEqual([202, 1]);
    expect(await callsFor(submission({ fields: keyed }))).toEqual([202, 1]);
    expect(await callsFor(submission({ fields: keyed }))).toEqual([202, 0]);
    expect(await callsFor(submission({ fields: keyed, body: ORDER.replace("2", "3") }))).toEqual([422, 0]);
    expect(await callsFor(submission({ fields: { authorization: undefined } }))).toEqual([401, 0]);
    expect(await callsFor(submission({ body: "{" }))).toEqual([400, 0]);
    expect(await callsFor(submission({ path: "/nothing" }))).toEqual([404, 0]);
    const { headers } = await send(submission());
    const path = headers.get("location") ?? "";
    for (const method of ["GET", "HEAD", "DELETE"])
      expect(await callsFor(request(method, path))).toEqual([200, 0]);
  });

  it("gets the announcement of an order whose resource is created before the reply", async () => {
    const context = new ExecutionContext();
    const { send } = createOrders({ create: () => ({ body: {} }) });
    expect((await send(submission(), context)).status).toBe(201);
    expect(context.pending).toHaveLength(1);
  });

  it.each<[string, object | undefined]>([
    ["nothing", undefined],
    ["what Deno passes", { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } }],
    ["what Bun passes", Object.create({ requestIP: () => null, upgrade: () => false }) as object],
    ["a context without waitUntil", { waitUntil: undefined }],
  ])("is not required if the second argument is %s", async (_, context) => {
    expect((await createOrders().send(submission(), context)).status).toBe(202);
  });

  it("does not change the reply if it throws, and the observer receives the error", async () => {
    const events: unknown[] = [];
    const { send } = createOrders({ observe: ({ event }) => events.push(event) });
    const waitUntil = (): never => {
      throw new Error("the platform has ended");
    };
    expect((await send(submission(), { waitUntil })).status).toBe(202);
    expect(events).toEqual(["operation.accepted", "background.failed"]);
  });
});

describe("timeout on the second argument, as Bun passes it", () => {
  it("lifts the idle limit of a request that may wait or gets a stream, and of no other", async () => {
    const calls: unknown[] = [];
    class Server {
      readonly #name = "server";
      timeout(to: Request, seconds: number): void {
        calls.push([this.#name, to.method, seconds]);
      }
    }
    const { send } = createOrders();
    await send(submission(), new Server());
    expect(calls).toEqual([]);
    await send(request("GET", "/operations/1", { prefer: "wait=20" }), new Server());
    expect(calls).toEqual([["server", "GET", 0]]);
    await send(request("GET", "/operations/1", { accept: "text/event-stream" }), new Server());
    expect(calls).toHaveLength(2);
    await send(request("GET", "/operations/1", { accept: "application/json" }), new Server());
    expect(calls).toHaveLength(2);
  });
});
