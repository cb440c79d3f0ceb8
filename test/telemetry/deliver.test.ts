import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { status } from "../support/webhooks/receiver.js";
import { announce, openStage } from "../webhooks/stage.js";
import { watchChannel } from "./watch-channel.js";

describe("the channel `deliver`", () => {
  it("publishes a delivery with the operation that ended and the answer of the receiver", async () => {
    const stage = await openStage();
    watchChannel("submit", (message) => {
      message.meta = '{"trace":1}';
    });
    const published = watchChannel("deliver");
    const operationId = await announce(stage);
    expect(published.map(({ event }) => event)).toEqual(["start", "end", "asyncStart", "asyncEnd"]);
    const headers: IncomingHttpHeaders = stage.receiver.received[0]?.headers ?? {};
    const about = { operationId, definition: "exports", tenant: "acme", attempt: 1, meta: '{"trace":1}' };
    expect(published.at(-1)).toMatchObject({ ...about, deliveryId: headers["webhook-id"], status: 204 });
  });

  it("sends the header fields that a subscriber adds, and none in place of those of the webhook", async () => {
    const stage = await openStage();
    watchChannel("deliver", ({ headers }) => {
      Object.assign(headers, { traceparent: "00-1", "webhook-id": "forged" });
    });
    await announce(stage);
    const headers: IncomingHttpHeaders = stage.receiver.received[0]?.headers ?? {};
    expect(headers.traceparent).toBe("00-1");
    expect(headers["webhook-id"]).not.toBe("forged");
  });

  it("publishes the error and the status of a delivery that is retried, under the number of its attempt", async () => {
    const stage = await openStage();
    stage.receiver.answer(status(503));
    const published = watchChannel("deliver");
    await announce(stage);
    const refused = { attempt: 1, status: 503, error: { code: "RETRY_LATER" } };
    expect(published.find(({ event }) => event === "error")).toMatchObject(refused);
    await stage.workFor(10_000);
    expect(published.at(-1)).toMatchObject({ event: "asyncEnd", attempt: 2, status: 204 });
  });

  it("publishes a delivery of a tenant without an endpoint, which has no status", async () => {
    const stage = await openStage({ endpoint: () => undefined });
    const published = watchChannel("deliver");
    await announce(stage);
    expect(published.at(-1)?.event).toBe("asyncEnd");
    expect(published.at(-1)?.status).toBeUndefined();
  });
});
