import type { Principal } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { createStage, exportsOf, SECRET, type WebhookStage } from "../support/webhooks/stage.js";
import { announce } from "./stage.js";

let stage: WebhookStage;
afterEach(() => stage.close());

const HOOKS = "https://hooks.example/";
const REGISTERED_ONLY =
  "This service sends webhooks to registered endpoints only. Leave out the URL of the receiver.";

/** Posts with a `Webhook-URL`, and returns the status and the detail of the problem. */
async function postWith(url: string): Promise<string> {
  const { status, body } = await stage.post("complete", { "webhook-url": url });
  return `${status} ${(JSON.parse(body as string) as { detail?: string }).detail}`;
}

describe("a request with Webhook-URL", () => {
  it("is announced to that URL if `allow` returns true, with the secrets of the endpoint", async () => {
    const asked: unknown[] = [];
    const allowed: (readonly [string, Required<Principal>])[] = [];
    stage = await createStage({
      endpoint: (...topic) => {
        asked.push(topic);
        return { url: HOOKS, secrets: [SECRET] };
      },
      allow: (...request) => {
        allowed.push(request);
        return Promise.resolve(true);
      },
    });
    const url = `${stage.receiver.origin}/own?a=1`;
    await announce(stage, "complete", { "webhook-url": `${url}#part` });
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/own?a=1"]);
    expect(allowed).toEqual([[url, { id: "ann", tenant: "acme" }]]);
    expect(asked).toEqual([["acme", "exports", url]]);
  });

  it("is a 400 if the service has webhooks but no `allow`", async () => {
    stage = await createStage();
    expect(await postWith(HOOKS)).toBe(`400 ${REGISTERED_ONLY}`);
  });

  it("is a 403 if `allow` does not return true", async () => {
    stage = await createStage({ allow: () => "yes" as never });
    expect(await postWith(HOOKS)).toBe("403 These credentials do not allow webhooks to this URL.");
  });

  it.each([
    ["http://hooks.example/", "its scheme is not https"],
    ["https://127.0.0.1/", "its address is not public"],
    ["https://[::ffff:169.254.169.254]/", "its address is not public"],
    ["hooks", "it is not an absolute URL of at most 2048 characters"],
  ])("is a 400 if the URL cannot be used, and does not ask `allow`: %s", async (url, reason) => {
    stage = await createStage({ allow: () => Promise.reject(new Error("asked")) });
    expect(await postWith(url)).toBe(`400 The URL of the receiver cannot be used: ${reason}.`);
  });

  it("is a 503 if `allow` throws or does not answer in time, and records nothing", async () => {
    const unavailable =
      "503 The receiver of the webhook could not be checked at the moment. Try again later.";
    stage = await createStage({ allow: () => Promise.reject(new Error("down")) });
    expect(await postWith(HOOKS)).toBe(unavailable);
    await stage.close();
    stage = await createStage({ allow: () => new Promise(() => {}) });
    const posting = postWith(HOOKS);
    await stage.clock.advance(5_000);
    expect(await posting).toBe(unavailable);
    expect(await stage.backend.operations.list({ internal: true, limit: 1 })).toEqual([]);
  });
});

describe("a submission in process with `webhookUrl`", () => {
  const submitWith = (webhookUrl: string, outcome = "complete"): Promise<unknown> =>
    stage.service.submit(exportsOf, { outcome: outcome as "complete" }, { tenant: "acme", webhookUrl });

  it("is announced to that URL if `allow` returns true for its tenant", async () => {
    const allowed: (readonly [string, Required<Principal>])[] = [];
    stage = await createStage({
      endpoint: () => ({ url: HOOKS, secrets: [SECRET] }),
      allow: (...request) => allowed.push(request) === 1,
    });
    const url = `${stage.receiver.origin}/own`;
    await submitWith(`${url}#part`);
    await stage.work();
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/own"]);
    expect(allowed).toEqual([[url, { id: "acme", tenant: "acme" }]]);
  });

  it("has the payload of the moment of the call, although the check of the URL takes its time", async () => {
    stage = await createStage({ allow: () => true });
    const input: { outcome: "complete" | "refuse" } = { outcome: "complete" };
    const options = { tenant: "acme", webhookUrl: `${stage.receiver.origin}/own` };
    const submitting = stage.service.submit(exportsOf, input, options);
    input.outcome = "refuse";
    const { operationId } = await submitting;
    const [operation] = await stage.backend.operations.getMany([operationId]);
    expect(operation?.input).toBe('{"outcome":"complete"}');
  });

  it("is checked after its payload, and `allow` is not asked about an invalid one", async () => {
    let asked = 0;
    stage = await createStage({ allow: () => ++asked > 0 });
    await expect(submitWith(HOOKS, "else")).rejects.toMatchObject({ code: "CONTRACT_VIOLATION" });
    expect(asked).toBe(0);
  });

  it("keeps the URL of the first submission with its key", async () => {
    stage = await createStage({ allow: () => true });
    for (const path of ["first", "second"]) {
      const webhookUrl = `${stage.receiver.origin}/${path}`;
      const options = { tenant: "acme", key: "k", webhookUrl };
      await stage.service.submit(exportsOf, { outcome: "complete" }, options);
    }
    await stage.work();
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/first"]);
  });

  it("is refused like a request, and records nothing", async () => {
    stage = await createStage({ allow: () => false });
    await expect(submitWith(HOOKS)).rejects.toMatchObject({
      code: "FORBIDDEN",
      detail: "These credentials do not allow webhooks to this URL.",
    });
    await expect(submitWith("http://hooks.example/")).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        "The URL of the receiver cannot be used: its scheme is not https. For tests and your own servers, add its origin to `trustedOrigins` of createWebhooks.",
    });
    expect(await stage.backend.operations.list({ internal: true, limit: 1 })).toEqual([]);
  });

  it("is refused if the service has webhooks but no `allow`", async () => {
    stage = await createStage();
    const refusal = { code: "INVALID_OPTION", detail: REGISTERED_ONLY };
    await expect(submitWith(HOOKS)).rejects.toMatchObject(refusal);
  });
});
