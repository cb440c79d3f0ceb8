import { sendWithFetch } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { status } from "../../support/webhooks/receiver.js";
import { announce, openStage } from "../stage.js";

describe("sendWithFetch", () => {
  it("delivers, without following redirects", async () => {
    const stage = await openStage({ send: sendWithFetch });
    stage.receiver.answer(status(302, { location: `${stage.receiver.origin}/elsewhere` }));
    await stage.submit();
    await announce(stage);
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/hooks", "/hooks"]);
    const outcomes = stage.events.filter(({ event }) => event.startsWith("webhook."));
    expect(outcomes.map(({ event }) => event).sort()).toEqual(["webhook.delivered", "webhook.failed"]);
  });

  it("passes on `Retry-After`", async () => {
    const stage = await openStage({ send: sendWithFetch });
    stage.receiver.answer(status(429, { "retry-after": "60" }));
    await announce(stage);
    expect(stage.events.find(({ event }) => event === "operation.retried")).toMatchObject({
      delayMs: 60_000,
    });
  });
});
