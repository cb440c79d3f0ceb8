import { sendWithFetch } from "async-request-reply/webhooks";
import { afterEach, describe, expect, it } from "vitest";
import { status } from "../../support/webhooks/receiver.js";
import { createStage, type WebhookStage } from "../../support/webhooks/stage.js";

let stage: WebhookStage;
afterEach(() => stage.close());

describe("sendWithFetch", () => {
  it("delivers, without following redirects", async () => {
    stage = await createStage({ send: sendWithFetch });
    stage.receiver.answer(status(302, { location: `${stage.receiver.origin}/elsewhere` }));
    await stage.submit();
    await stage.submit();
    await stage.work();
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/hooks", "/hooks"]);
    const outcomes = stage.events.filter(({ event }) => event.startsWith("webhook."));
    expect(outcomes.map(({ event }) => event).sort()).toEqual(["webhook.delivered", "webhook.failed"]);
  });

  it("passes on `Retry-After`", async () => {
    stage = await createStage({ send: sendWithFetch });
    stage.receiver.answer(status(429, { "retry-after": "60" }));
    await stage.submit();
    await stage.work();
    expect(stage.events.find(({ event }) => event === "operation.retried")).toMatchObject({
      delayMs: 60_000,
    });
  });
});
