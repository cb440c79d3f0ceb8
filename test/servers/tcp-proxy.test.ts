import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";

let server: Server;
let proxy: TcpProxy;
let atServer: string;

beforeEach(async () => {
  atServer = "";
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      atServer += chunk;
      socket.write(`echo ${chunk}`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await startTcpProxy((server.address() as AddressInfo).port);
});
afterEach(async () => {
  await proxy.close();
  server.close();
});

async function open() {
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  let ended = false;
  socket.on("data", (chunk) => {
    received += chunk;
  });
  for (const event of ["end", "error", "close"])
    socket.on(event, () => {
      ended = true;
    });
  await once(socket, "connect");
  return {
    socket,
    received: () => received,
    /** Whether the other side has closed or reset it. */
    ended: () => ended,
  };
}

describe("the TCP proxy", () => {
  it("forwards bytes in both directions", async () => {
    const { socket, received } = await open();
    socket.write("one");
    await expect.poll(received).toBe("echo one");
  });

  it("drops bytes, and forwards again afterwards", async () => {
    const { socket, received, ended } = await open();
    await proxy.set({ does: "drop" });
    socket.write("lost");
    await vi.waitUntil(() => proxy.droppedBytes() === 4);
    await proxy.set({ does: "pass" });
    socket.write("kept");
    await vi.waitUntil(() => received() === "echo kept");
    expect([atServer, ended()]).toEqual(["kept", false]);
  });

  it("delays each chunk in both directions", async () => {
    await proxy.set({ does: "delay", ms: 100 });
    const { socket, received } = await open();
    const begun = performance.now();
    socket.write("slow");
    await vi.waitUntil(() => received() === "echo slow");
    expect(performance.now() - begun).toBeGreaterThanOrEqual(195);
  });

  it.each([
    ["up", "123", ""],
    ["down", "12345", "ech"],
  ] as const)(
    "cuts one connection after a number of bytes in the direction %s",
    async (direction, up, down) => {
      const first = await open();
      await proxy.set({ does: "cut", direction, afterBytes: 3 });
      first.socket.write("12345");
      await vi.waitUntil(first.ended);
      expect([atServer, first.received()]).toEqual([up, down]);
      const second = await open();
      second.socket.write("again");
      await vi.waitUntil(() => second.received() === "echo again");
      expect(proxy.cuts()).toBe(1);
    },
  );

  it("half-closes connections, so that the client can still write", async () => {
    const { socket, ended } = await open();
    await proxy.set({ does: "half-close" });
    await vi.waitUntil(ended);
    socket.write("still");
    await expect.poll(() => atServer).toBe("still");
  });

  it("refuses new connections and resets open ones, and accepts again afterwards", async () => {
    const { ended } = await open();
    await proxy.set({ does: "refuse" });
    await vi.waitUntil(ended);
    await expect(open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await proxy.set({ does: "pass" });
    const { socket, received } = await open();
    socket.write("back");
    await vi.waitUntil(() => received() === "echo back");
  });
});
