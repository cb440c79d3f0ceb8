import { once } from "node:events";
import { type Authorize, allowAnonymous, bearer, createOrderService } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { describe, expect, it, vi } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { serve } from "./node-stage.js";

const REQUEST =
  "POST /orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nidempotency-key: 1\r\nauthorization: Bearer t\r\n" +
  `connection: close\r\ncontent-length: ${ORDER.length}\r\n\r\n`;

/** Sends parts of a request, the first in one packet, and returns the events that it was read with, and the status. */
async function send(parts: readonly string[], authorize: Authorize) {
  const service = createOrderService({ authorize });
  const handle = toNodeHandler(service);
  const events: unknown[] = [];
  const { server, connect } = await serve(service, () => (req, res) => {
    const listening = vi.spyOn(req, "on");
    handle(req, res);
    res.on("close", () => events.push(...listening.mock.calls.map(([event]) => event)));
  });
  const connection = connect();
  const [first = "", ...later] = parts;
  const requested = once(server, "request");
  await connection.write(first);
  await requested;
  for (const part of later) await connection.write(part);
  const { status } = await connection.read("POST");
  await connection.closed;
  await service.close();
  return { events, status };
}

describe("a body on Node", () => {
  it.each([
    ["answers at once", allowAnonymous()],
    ["verifies a token at once", bearer({ t: "ann" })],
  ])(
    "that came with its header section is read without waiting for events, if `authorize` %s",
    async (_, hook) => {
      const { events, status } = await send([REQUEST + ORDER], hook);
      expect(status).toBe(202);
      expect(events).not.toContain("data");
    },
  );

  it("that comes later is waited for", async () => {
    const { events, status } = await send([REQUEST, ORDER], allowAnonymous());
    expect(status).toBe(202);
    expect(events).toContain("data");
  });
});
