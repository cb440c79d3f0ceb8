import { createWorker } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createWebhooks, verifyWebhook, webhookDeliveries } from "async-request-reply/webhooks";
import { afterEach, describe, expect, it } from "vitest";
import { createComposedBackend } from "../../support/composed-backend.js";
import { status } from "../../support/webhooks/receiver.js";
import { createStage, exportsOf, SECRET, type WebhookStage } from "../../support/webhooks/stage.js";
import { announce } from "../stage.js";

let stage: WebhookStage;
afterEach(() => stage.close());

const bodies = (): unknown[] => stage.receiver.received.map(({ body }) => JSON.parse(body) as unknown);

it("stores only text that everyone can hold about a failed delivery", async () => {
  stage = await createStage({ send: () => Promise.reject(new Error("\u0000half \ud83d of\u001b a pair")) });
  await stage.submit();
  await stage.workFor(24 * 3_600_000);
  const { backend } = stage;
  const operator = createOperator({ backend, definitions: [webhookDeliveries], observe: false });
  const { operations } = await operator.list({ internal: true, status: "failed" });
  const reason = expect.stringContaining("\ufffdhalf \ufffd of\ufffd a pair");
  expect(operations).toMatchObject([{ lastError: { detail: reason } }]);
  expect(JSON.stringify(operations)).not.toMatch(/\\u/);
});

describe("the end of an operation", () => {
  it("is announced with one signed webhook that the receiver can verify", async () => {
    stage = await createStage();
    const operationId = await stage.submit();
    await stage.clock.advance(5_000);
    await stage.work();
    const timestamp = new Date(stage.clock.now()).toISOString();
    const data = { operationId, status: "completed" };
    expect(bodies()).toEqual([{ type: "operation.completed", timestamp, data }]);
    const { headers = {}, body = "", path } = stage.receiver.received[0] ?? {};
    expect({ path, type: headers["content-type"] }).toEqual({ path: "/hooks", type: "application/json" });
    const verified = await verifyWebhook({ headers, body, secrets: [SECRET], now: stage.clock.now });
    expect(verified.id).toBe(headers["webhook-id"]);
    expect(verified.data).toEqual(data);
  });

  it("is announced if the work failed, with the error that the status endpoint shows", async () => {
    stage = await createStage();
    const operationId = await announce(stage, "refuse");
    const path = `/operations/${operationId}`;
    const { body } = await stage.service.handle({ method: "GET", path, headers: {} });
    const { error } = JSON.parse(body as string) as { error: object };
    expect(bodies()).toMatchObject([
      { type: "operation.failed", data: { operationId, status: "failed", error } },
    ]);
    expect(error).toMatchObject({ detail: "It cannot be done." });
  });

  it("is announced if the operation was cancelled before its work began", async () => {
    stage = await createStage();
    const operationId = await stage.submit();
    await stage.service.cancel(stage.service.definitions[0], operationId, { tenant: "acme" });
    await stage.work();
    const error = { title: "The operation was cancelled" };
    expect(bodies()).toMatchObject([{ data: { operationId, status: "failed", error } }]);
  });

  it("is announced if the work was submitted in process", async () => {
    stage = await createStage();
    const input = { outcome: "complete" } as const;
    const { operationId } = await stage.service.submit(exportsOf, input, { tenant: "acme" });
    await stage.work();
    expect(bodies()).toMatchObject([{ data: { operationId } }]);
  });

  it("is announced once if a request is repeated with its key", async () => {
    stage = await createStage();
    const headers = { "idempotency-key": "k" };
    const ids = [await stage.submit("complete", headers), await stage.submit("complete", headers)];
    await stage.work();
    expect(bodies()).toMatchObject([{ data: { operationId: ids[0] } }]);
    expect(ids[1]).toBe(ids[0]);
  });

  it("is announced if the operation has the id of an earlier request that died between key and operation", async () => {
    stage = await createStage({}, { change: () => createComposedBackend() });
    const { create } = stage.backend.operations;
    Object.assign(stage.backend.operations, { create: () => Promise.reject(new Error("died")) });
    await stage.post("complete", { "idempotency-key": "k" });
    Object.assign(stage.backend.operations, { create });
    const operationId = await announce(stage, "complete", { "idempotency-key": "k" });
    expect(bodies()).toMatchObject([{ data: { operationId } }]);
  });

  it("is not announced to a tenant without an endpoint", async () => {
    stage = await createStage({ endpoint: () => undefined });
    await announce(stage);
    expect(stage.receiver.received).toEqual([]);
    const listed = await stage.backend.operations.list({ internal: true, limit: 9, state: "completed" });
    expect(listed?.map(({ definition }) => definition).sort()).toEqual(["exports", "webhook.delivery"]);
  });
});

describe("deliveries", () => {
  /** Sends webhooks of these tenants, whose receivers answer soon. Returns how many were on their way at once. */
  async function deliverFor(tenants: readonly string[]): Promise<number> {
    let sending = 0;
    let most = 0;
    stage = await createStage({
      endpoint: (tenant) => ({ url: `https://${tenant}.example/`, secrets: [SECRET] }),
      send: async () => {
        sending += 1;
        most = Math.max(most, sending);
        // Long enough for the others to begin, however busy the machine is.
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        sending -= 1;
        return { status: 204 };
      },
    });
    const input = { outcome: "complete" } as const;
    for (const tenant of tenants) await stage.service.submit(exportsOf, input, { tenant });
    await stage.work();
    const count = (name: string): number => stage.events.filter(({ event }) => event === name).length;
    expect([count("webhook.delivered"), count("operation.released")]).toEqual([tenants.length, 0]);
    return most;
  }

  it("take at most half of the slots of a worker, so that slow receivers leave room for its work", async () => {
    expect(await deliverFor(Array.from({ length: 20 }, (_, index) => `tenant-${index}`))).toBe(5);
  });

  it("take at most as many of them for one tenant as they leave to others, and wait for those that are quick", async () => {
    expect(await deliverFor(new Array<string>(20).fill("acme"))).toBe(3);
  });
});

describe("a delivery", () => {
  it("looks up its endpoint by tenant and definition, with the secrets of that moment", async () => {
    const asked: unknown[] = [];
    const added = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const secrets = [SECRET];
    stage = await createStage({
      endpoint: (...topic) => {
        asked.push(topic);
        return { url: stage.receiver.url, secrets };
      },
    });
    await stage.submit();
    secrets.unshift(added);
    await stage.work();
    expect(asked).toEqual([["acme", "exports", undefined]]);
    const { headers = {}, body = "" } = stage.receiver.received[0] ?? {};
    for (const secret of secrets)
      expect(await verifyWebhook({ headers, body, secrets: [secret], now: stage.clock.now })).toBeDefined();
  });

  it("is signed by `sign`, which may be asynchronous", async () => {
    const sign = (message: { readonly id: string }, topic: object): Promise<string> =>
      Promise.resolve(`v1,${message.id}-${JSON.stringify(topic)}`);
    stage = await createStage({ endpoint: () => ({ url: stage.receiver.url }), sign });
    await announce(stage);
    const topic = { tenant: "acme", definition: "exports", url: stage.receiver.url };
    const headers = stage.receiver.received[0]?.headers ?? {};
    expect(headers["webhook-signature"]).toBe(`v1,${headers["webhook-id"]}-${JSON.stringify(topic)}`);
  });

  it("is left to other workers by a worker without webhooks", async () => {
    stage = await createStage({}, { deliver: false });
    await stage.submit();
    await stage.workFor(600_000);
    expect(stage.receiver.received).toEqual([]);
    const { backend, clock, receiver } = stage;
    const webhooks = createWebhooks({
      endpoint: () => ({ url: receiver.url, secrets: [SECRET] }),
      trustedOrigins: [receiver.origin],
    });
    const source = {
      definitions: [exportsOf],
      backend,
      webhooks,
      runtime: { clock },
      observe: false,
    } as const;
    await createWorker(source, {}).runUntilIdle();
    expect(receiver.received).toHaveLength(1);
  });

  it("is hidden from clients and visible to operators, who can run a failed one again under its id", async () => {
    stage = await createStage();
    stage.receiver.answer(status(410));
    await announce(stage);
    const headers = stage.receiver.received[0]?.headers ?? {};
    const deliveryId = String(headers["webhook-id"]);
    const path = `/operations/${deliveryId}`;
    expect((await stage.service.handle({ method: "GET", path, headers: {} })).status).toBe(404);
    const { backend, clock } = stage;
    const definitions = [exportsOf, webhookDeliveries];
    const operator = createOperator({ backend, definitions, runtime: { clock }, observe: false });
    const { operations } = await operator.list({ definition: "webhook.delivery", internal: true });
    expect(operations).toMatchObject([
      { operationId: deliveryId, tenant: "acme", status: "failed", hidden: true },
    ]);
    await operator.redrive(deliveryId);
    await stage.work();
    const ids = stage.receiver.received.map((received) => received.headers["webhook-id"]);
    expect(ids).toEqual([deliveryId, deliveryId]);
    expect(new Set(stage.receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it("announces the successor of an operation that was run again, under another id", async () => {
    stage = await createStage();
    const failed = await announce(stage, "mend");
    stage.mend();
    const { backend, clock } = stage;
    const definitions = [exportsOf];
    const operator = createOperator({ backend, definitions, runtime: { clock }, observe: false });
    const { operation: { operationId } = {} } = await operator.redrive(failed);
    await stage.work();
    expect(bodies()).toMatchObject([
      { data: { operationId: failed, status: "failed" } },
      { data: { operationId, status: "completed" } },
    ]);
    const ids = stage.receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(2);
  });
});
