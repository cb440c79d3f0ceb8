import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { status } from "../../support/webhooks/receiver.js";
import { SECRET } from "../../support/webhooks/stage.js";
import { openStage } from "../stage.js";

describe("connecting to a receiver", () => {
  it("has a limit of 5 s, which includes TLS", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on("error", () => {}).resume()));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const endpoint = () => ({ url: origin, secrets: [SECRET] });
    const stage = await openStage({ endpoint, trustedOrigins: [origin] });
    const retries = () => stage.events.filter(({ event }) => event === "operation.retried");
    await stage.submit();
    const working = stage.work();
    await expect.poll(() => sockets.length).toBe(1);
    await stage.clock.advance(4_999);
    expect(retries()).toEqual([]);
    await stage.clock.advance(1);
    const detail = "There was no connection to the receiver within 5000 ms.";
    await expect.poll(retries).toMatchObject([{ error: { detail } }]);
    await working;
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });

  it("does not limit the time until the answer", async () => {
    const stage = await openStage();
    let answer = (): void => {};
    stage.receiver.answer((response) => {
      answer = () => status(204)(response);
    });
    await stage.submit();
    const working = stage.work();
    await expect.poll(() => stage.receiver.received.length).toBe(1);
    await stage.clock.advance(14_999);
    answer();
    await working;
    expect(stage.events.at(-2)).toMatchObject({ event: "webhook.delivered", status: 204 });
  });
});
