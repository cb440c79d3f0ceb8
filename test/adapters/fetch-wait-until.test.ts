import {
  bearer,
  createMemoryBackend,
  createOrderService,
  type OrderServiceOptions,
} from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/ports/next-turn.js";
import { interceptBackend } from "../../src/testing/intercept-backend.js";
import { ORDER, request, submission, TOKENS } from "../../src/testing/suites/adapter/orders-fixture.js";
import { toRequest } from "./fetch-harness.js";

/** What Workers hand over: its method can be called on nothing else. */
class ExecutionContext {
  readonly #works: Promise<unknown>[] = [];

  waitUntil(work: Promise<unknown>): void {
    this.#works.push(work);
  }

  get works(): readonly Promise<unknown>[] {
    return this.#works;
  }
}

/** A handler of orders whose queue takes its time to publish. */
function createOrders(options: Partial<OrderServiceOptions> = {}): {
  send(request: Parameters<typeof toRequest>[0], context?: object): Promise<Response>;
  publish(): void;
} {
  let publish: () => void = () => {};
  const mayPublish = new Promise<void>((resolve) => {
    publish = resolve;
  });
  const backend = interceptBackend(createMemoryBackend(), async ({ method }, proceed) => {
    if (method === "publish") await mayPublish;
    return proceed();
  });
  const handler = toFetchHandler(createOrderService({ backend, authorize: bearer(TOKENS), ...options }));
  return { send: (wire, context) => handler(toRequest(wire), context), publish: () => publish() };
}

describe("S19: waitUntil of the second argument", () => {
  it("gets the announcement, called as its own object's method, and the reply does not wait for it", async () => {
    const { send, publish } = createOrders();
    const context = new ExecutionContext();
    expect((await send(submission(), context)).status).toBe(202);
    expect(context.works).toHaveLength(1);
    let isDone = false;
    const done = Promise.all(context.works).then(() => {
      isDone = true;
    });
    await nextTurn();
    expect(isDone).toBe(false);
    publish();
    await done;
  });

  it("is called once for each submission that is accepted, and never for a replay, a refusal or a reading", async () => {
    const { send } = createOrders({ cancellable: true });
    const callsFor = async (wire: Parameters<typeof send>[0]): Promise<readonly [number, number]> => {
      const context = new ExecutionContext();
      return [(await send(wire, context)).status, context.works.length];
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

  it("gets the announcement of an order that is created before the reply", async () => {
    const context = new ExecutionContext();
    const { send } = createOrders({ create: () => ({ body: {} }) });
    expect((await send(submission(), context)).status).toBe(201);
    expect(context.works).toHaveLength(1);
  });

  it.each<[string, object | undefined]>([
    ["nothing", undefined],
    ["what Deno passes", { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } }],
    ["what Bun passes", Object.create({ requestIP: () => null, upgrade: () => false }) as object],
    ["a context without work to wait for", { waitUntil: undefined }],
  ])("is not missed where the second argument is %s", async (_, context) => {
    expect((await createOrders().send(submission(), context)).status).toBe(202);
  });

  it("changes nothing of the reply when it throws, and the observer is told", async () => {
    const events: unknown[] = [];
    const { send } = createOrders({ observe: ({ event }) => events.push(event) });
    const waitUntil = (): never => {
      throw new Error("the platform has ended");
    };
    expect((await send(submission(), { waitUntil })).status).toBe(202);
    expect(events).toEqual(["operation.accepted", "background.failed"]);
  });
});
