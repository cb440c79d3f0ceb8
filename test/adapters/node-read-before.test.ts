import type { IncomingMessage } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { createMemoryBackend } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_MAX_BODY_BYTES } from "../../src/http/settings.js";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { createNodeHarness } from "../support/node-harness.js";

/** Mounts an order service whose requests another function sees first. */
function mountAfter(before: (req: IncomingMessage) => unknown) {
  const harness = createNodeHarness(createMemoryBackend, (service) => {
    const handler = toNodeHandler(service);
    return async (req, res) => {
      await before(req);
      handler(req, res);
    };
  });
  onTestFinished(harness.close);
  return mountOrders(harness);
}

const readers: Readonly<Record<string, (req: IncomingMessage) => unknown>> = {
  completely: text,
  partly: async (req) => {
    for await (const _ of req.iterator({ destroyOnReturn: false })) break;
  },
};

describe("a body that was read before the Node adapter", () => {
  it.each(Object.entries(readers))("%s gets 500 and is reported to the observer", async (_, read) => {
    const { send, events, recorded } = await mountAfter(read);
    for (const body of ["{}", { chunks: ["{", "}"] }])
      expect((await send(submission({ body }))).status).toBe(500);
    const refusal = { event: "request.refused", status: 500, code: "BODY_ALREADY_READ" };
    expect(events).toMatchObject([refusal, refusal]);
    expect(await recorded()).toEqual([]);
  });

  it("is reported even if it was empty", async () => {
    const { send, events } = await mountAfter(text);
    await send(submission({ body: { chunks: [] } }));
    expect(events).toMatchObject([{ code: "BODY_ALREADY_READ" }]);
  });

  it("is taken from the bytes that were kept, as by Google's functions-framework", async () => {
    const { send } = await mountAfter(async (req) => Object.assign(req, { rawBody: await buffer(req) }));
    expect((await send(submission())).status).toBe(202);
    const repeated = '{"itemId":"book","quantity":1,"quantity":2}';
    expect((await send(submission({ body: repeated }))).status).toBe(400);
    expect((await send(submission({ body: " ".repeat(DEFAULT_MAX_BODY_BYTES + 1) }))).status).toBe(413);
  });

  it("does not matter if the service never reads the body", async () => {
    const { send } = await mountAfter(text);
    expect((await send(request("GET", "/operations/1"))).status).toBe(404);
    expect((await send(submission({ fields: { authorization: undefined } }))).status).toBe(401);
    expect((await send(request("POST", "/orders", { "content-type": "application/json" }))).status).toBe(400);
  });
});
