import {
  type Backend,
  createMemoryBackend,
  createOrderService,
  type HttpResponse,
  type OrderServiceOptions,
  withQueue,
} from "async-request-reply";
import { type LambdaEvent, type LambdaHandler, toLambdaHandler } from "async-request-reply/lambda";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { exportOf, mountExports } from "../support/adapter-suite/fixtures/exports-fixture.js";
import { request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import {
  createLambdaHarness,
  type LambdaFront,
  lambdaFronts,
  toResponse,
} from "../support/lambda-harness.js";
import { replacing } from "../support/replacing.js";

const fronts = Object.entries(lambdaFronts);
const { "a function URL": functionUrl, "a REST API": restApi } = lambdaFronts;

function createOrders(options: Partial<OrderServiceOptions> & { readonly backend?: Backend } = {}) {
  return toLambdaHandler(createOrderService({ authorize: () => ({ id: "a" }), observe: false, ...options }));
}

/** Submits an export for an account, and returns the status, and the account that was recorded. */
async function accountAt(front: LambdaFront, account: string): Promise<readonly [number, unknown]> {
  const { send, recorded } = await mountExports(createLambdaHarness(createMemoryBackend, front));
  const { status } = await send(exportOf(account, "2026"));
  const [operation] = await recorded();
  return [status, operation && JSON.parse(operation.input as string).accountId];
}

describe.each(fronts)("a request that comes through %s", (_, front) => {
  it("has its cookies", async () => {
    const seen: unknown[] = [];
    const handler = createOrders({
      authorize: ({ header }) => {
        seen.push(header("cookie"));
        return { id: "a" };
      },
    });
    const cookie = "session=abc; theme=dark";
    const { statusCode } = await handler(front.toEvent(submission({ fields: { cookie } })));
    expect([statusCode, seen]).toEqual([202, [cookie]]);
  });

  it("may have a body with any method", async () => {
    const { toEvent } = front;
    const handler = createOrders();
    const { location } = Object.fromEntries(toResponse(await handler(toEvent(submission()))).headers);
    const read = { ...request("GET", location ?? ""), body: "{}" };
    expect((await handler(toEvent(read))).statusCode).toBe(200);
  });

  it("may have its body as text, or none", async () => {
    const event = front.toEvent(submission());
    const handler = createOrders();
    for (const [body, status] of [
      ['{"itemId":"Bücher","quantity":1}', 202],
      [null, 400],
    ] as const)
      expect((await handler({ ...event, body, isBase64Encoded: false })).statusCode).toBe(status);
  });

  it.each(["a b", "ü", "a#b", "a+b"])("has the account %s of its path", async (account) => {
    expect(await accountAt(front, encodeURIComponent(account))).toEqual([202, account]);
  });

  it("gets the reply in the form of its event", async () => {
    const event = front.toEvent(submission());
    const { headers, multiValueHeaders } = await createOrders()(event);
    const isMultiValue = "multiValueHeaders" in event;
    expect((isMultiValue ? multiValueHeaders : headers)?.["content-type"]).toEqual(
      isMultiValue ? ["application/json"] : "application/json",
    );
    expect(isMultiValue ? headers : multiValueHeaders).toBeUndefined();
  });
});

const decoding = fronts.filter(([, { decodesPath }]) => decodesPath);
const keeping = fronts.filter(([, { decodesPath }]) => !decodesPath);

describe("a path field", () => {
  it.each(keeping)("is decoded exactly once behind %s", async (_, front) => {
    expect(await accountAt(front, "a%2520b")).toEqual([202, "a%20b"]);
    expect(await accountAt(front, "a%252Fb")).toEqual([202, "a%2Fb"]);
    expect(await accountAt(front, "a%2Fb%3Fc%25")).toEqual([202, "a/b?c%"]);
  });

  it.each(decoding)("is not decoded after %s, which decodes it twice", async (_, front) => {
    expect(await accountAt(front, "a%252520b")).toEqual([202, "a%20b"]);
    expect(await accountAt(front, "50%2525")).toEqual([202, "50%"]);
    expect(await accountAt(front, "a%2Fb")).toEqual([404, undefined]);
  });
});

function atStage(wire: WireRequest): LambdaEvent {
  return restApi.toEvent({ ...wire, path: `/live${wire.path}` });
}

it("serves the stage of a REST API as the base path, so that clients can follow Location", async () => {
  const handler = createOrders({ basePath: "/live" });
  const accepted = toResponse(await handler(atStage(submission())));
  const { location = "" } = Object.fromEntries(accepted.headers);
  expect([accepted.status, location]).toEqual([202, expect.stringMatching(/^\/live\/operations\//)]);
  expect((await handler(restApi.toEvent(request("GET", location)))).statusCode).toBe(200);
});

it("accepts an event without header fields, as the console of API Gateway sends it", async () => {
  const event = { ...restApi.toEvent(request("GET", "/nothing")), headers: null, multiValueHeaders: null };
  expect((await createOrders()(event as LambdaEvent)).statusCode).toBe(404);
});

it("replies after the ring, because nothing runs after the reply", async () => {
  const backend = createMemoryBackend();
  const rung: (string | undefined)[] = [];
  const slow = replacing(backend.queue, {
    publish: async (rings) => {
      await new Promise((resolve) => setImmediate(resolve));
      rung.push(...rings.map(({ operationId }) => operationId));
    },
  });
  const handler = createOrders({ backend: withQueue(backend, slow) });
  const { body } = await handler(functionUrl.toEvent(submission()));
  expect(rung).toEqual([JSON.parse(body).operationId]);
});

/** Creates the handler of a service that gives every request the same reply. */
function replying(body: HttpResponse["body"]): LambdaHandler {
  return toLambdaHandler({ handle: async () => ({ status: 200, headers: {}, ...(body && { body }) }) });
}

async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

describe("the body of a reply", () => {
  const event = functionUrl.toEvent(request("GET", "/"));
  const bytes = Buffer.from("ü");

  it.each([
    ["none", undefined, "", false],
    ["text", "ü", "ü", false],
    ["bytes of text", bytes, "ü", false],
    ["bytes that are not text", Buffer.from([0xff, 0]), "/wA=", true],
    ["a stream", chunksOf(bytes.subarray(0, 1), bytes.subarray(1)), "ü", false],
  ])("is sent as text unless it is not: %s", async (_, sent, body, isBase64Encoded) => {
    expect(await replying(sent)(event)).toMatchObject({ body, isBase64Encoded });
  });
});

describe("an event of another trigger is refused:", () => {
  it.each([
    ["a schedule", { source: "aws.events", "detail-type": "a" }, "one with the members source, detail-type"],
    ["a test event of the console", { rawPath: "/", version: "" }, "one with the members rawPath, version"],
    ["an empty event", {}, "an empty object"],
    ["none", undefined, "undefined"],
    ["null", null, "null"],
    ["a text", "/orders", '"/orders"'],
  ])("%s", async (_, event, given) => {
    await expect(createOrders()(event as unknown as LambdaEvent)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        `The handler takes events that are HTTP requests, such as those of a function URL, not ${given}. Use another function for ` +
        "other triggers, such as schedules and queues.",
    });
  });
});

it("answers an event without header fields and query", async () => {
  const { rawPath, requestContext, isBase64Encoded } = functionUrl.toEvent(submission());
  const event = { rawPath, requestContext, isBase64Encoded } as unknown as LambdaEvent;
  expect(await createOrders()(event)).toMatchObject({ statusCode: 415 });
});
