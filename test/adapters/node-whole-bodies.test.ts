import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { allowAnonymous, bearer, createMemoryBackend, createOrderService } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { describe, expect, it, vi } from "vitest";

const ORDER = '{"itemId":"book","quantity":2}';
const REQUEST =
  "POST /orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nidempotency-key: 1\r\nauthorization: Bearer t\r\n" +
  `connection: close\r\ncontent-length: ${ORDER.length}\r\n\r\n`;

/** Sends parts of a request, the first in one packet, and returns the events that it was read with, and the status. */
async function send(parts: readonly string[], authorize: ReturnType<typeof bearer>) {
  const service = createOrderService({ backend: createMemoryBackend(), authorize });
  const handle = toNodeHandler(service);
  const events: unknown[] = [];
  const server = createServer((req, res) => {
    const listening = vi.spyOn(req, "on");
    handle(req, res);
    res.on("close", () => events.push(...listening.mock.calls.map(([event]) => event)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay();
  let reply = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    reply += text;
  });
  const [first = "", ...later] = parts;
  const requested = once(server, "request");
  socket.write(first);
  await requested;
  for (const part of later) socket.write(part);
  await once(socket, "close");
  server.close();
  await service.close();
  return { events, status: reply.slice(9, 12) };
}

describe("a body on Node", () => {
  it.each([
    ["answers at once", allowAnonymous()],
    ["verifies a token at once", bearer({ t: "ann" })],
  ])(
    "that came with its header section is read without waiting for events, if `authorize` %s",
    async (_, hook) => {
      const { events, status } = await send([REQUEST + ORDER], hook);
      expect(status).toBe("202");
      expect(events).not.toContain("data");
    },
  );

  it("that comes later is waited for", async () => {
    const { events, status } = await send([REQUEST, ORDER], allowAnonymous());
    expect(status).toBe("202");
    expect(events).toContain("data");
  });
});
