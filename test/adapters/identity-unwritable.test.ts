import { createOrderService } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import type { WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { startServer } from "../support/node-harness.js";
import { allAdapters } from "./identity-adapters.js";
import { comparable } from "./predictable-service.js";
import { refuseWithField } from "./unwritable-field.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe.each(allAdapters)("the $adapter adapter", ({ createHarness }) => {
  /** Sends a request that a hook refuses with this field value. */
  async function replyWith(value: string, wire = request("GET", "/operations/1")): Promise<WireResponse> {
    const harness = createHarness();
    closing.push(harness.close);
    const { send } = await mountOrders(harness, refuseWithField(value));
    await send(wire);
    // The second request shows that the first did not harm the server.
    return comparable(await send(wire));
  }

  it.each([
    "Bearer\r\nset-cookie: a=b",
    "Bearer\nx",
    "Bearer\u0000",
    'Bearer realm="\u0100"',
    "Bearer \ud83d\udcda",
  ])("answers an empty 500 if a hook returns a field that cannot be sent: %j", async (value) => {
    const nothing = { status: 500, headers: [], body: "" };
    expect(await replyWith(value)).toEqual(nothing);
    expect(await replyWith(value, submission({ body: { chunks: ["{", "}"] } }))).toEqual(nothing);
  });
});

it("writes a reason phrase for the 500 on a connection", async () => {
  const server = await startServer(createOrderService(refuseWithField("Bearer\nx")));
  closing.push(server.close);
  const connection = server.connect();
  await connection.write("GET /operations/1 HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(await connection.readUntil("\r\n")).toBe("HTTP/1.1 500 Internal Server Error\r\n");
});
