import { channel } from "node:diagnostics_channel";
import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type HttpResponse,
  permanentFailure,
  type Service,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createWebhooks } from "async-request-reply/webhooks";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { deepText } from "../support/deep-text.js";
import { failing } from "../worker/stage.js";
import { watchChannel } from "./watch-channel.js";

const tenant = "acme";
const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const REFUSED = '{"rows":"many"}';
const input = z.strictObject({ rows: z.int() });
const exportsOf = defineOperation({ name: "exports", path: "/exports", input });

const backend = createMemoryBackend();
let service: Service<readonly [typeof exportsOf]>;
beforeEach(() => {
  const authorize = () => ({ id: "ann", tenant });
  service = createService({ definitions: [exportsOf], backend, authorize, observe: false });
});

function post(headers: Readonly<Record<string, string>> = {}, body = '{"rows":1}'): Promise<HttpResponse> {
  const fields = { "content-type": "application/json", ...headers };
  return service.handle({ method: "POST", path: "/exports", headers: fields, body });
}

const idOf = ({ headers }: HttpResponse): string => (headers.location ?? "").slice("/operations/".length);
const metaOf = async (id: string): Promise<unknown> => (await backend.operations.get(id, tenant))?.meta;

describe("the channel `submit`", () => {
  it("publishes a POST from its request to the id of its operation", async () => {
    const published = watchChannel("submit");
    const id = idOf(await post({ traceparent: TRACEPARENT, tracestate: "vendor=1" }));
    expect(published.map(({ event }) => event)).toEqual(["start", "end", "asyncStart", "asyncEnd"]);
    expect(published[0]?.definition).toBe("exports");
    const fields = ["traceparent", "tracestate", "b3"].map((name) => published[0]?.header?.(name));
    expect(fields).toEqual([TRACEPARENT, "vendor=1", undefined]);
    expect(published[3]).toMatchObject({ operationId: id, tenant, outcome: "accepted" });
  });

  it("publishes a submission in process, without header fields", async () => {
    const published = watchChannel("submit");
    const { operationId } = await service.submit(exportsOf, { rows: 1 }, { tenant });
    const about = { definition: "exports", tenant, operationId };
    expect(published.at(-1)).toMatchObject({ ...about, outcome: "accepted" });
    expect(published[0]).not.toHaveProperty("header");
  });

  it("publishes each item of a list as a submission, which can have its own `meta`", async () => {
    let count = 0;
    const published = watchChannel("submit", (message) => {
      count += 1;
      message.meta = JSON.stringify({ count });
    });
    const items = [1, "many", 3].map((rows) => ({ input: { rows: rows as number } }));
    const outcomes = await service.submitMany(exportsOf, items, { tenant });
    const ids = outcomes.flatMap((each) => (each.outcome === "refused" ? [] : [each.operationId]));
    const ended = published.filter(({ event }) => event === "asyncEnd");
    expect(ended.flatMap(({ operationId = [] }) => operationId).sort()).toEqual([...ids].sort());
    expect(ended.map(({ error }) => error !== undefined).sort()).toEqual([false, false, true]);
    expect(await Promise.all(ids.map(metaOf))).toEqual(['{"count":1}', '{"count":3}']);
  });

  it("says that an operation was replayed", async () => {
    const published = watchChannel("submit");
    const headers = { "idempotency-key": '"replayed"' };
    const id = idOf(await post(headers));
    await post(headers);
    expect(published.at(-1)).toMatchObject({ event: "asyncEnd", operationId: id, outcome: "replayed" });
  });

  it("publishes the error of a refusal, and no outcome", async () => {
    const published = watchChannel("submit");
    await post({}, REFUSED);
    expect(published.map(({ event }) => event)).toEqual(["start", "end", "error", "asyncStart", "asyncEnd"]);
    expect(published[2]).toMatchObject({ error: { code: "CONTRACT_VIOLATION" } });
    expect(published.at(-1)?.outcome).toBeUndefined();
  });

  it.each([
    ["a value", '{"rows":"kanarie"}'],
    ["an unknown member", '{"rows":1,"kanarie":1}'],
    ["a repeated member", '{"kanarie":1,"kanarie":1}'],
    ["no JSON", '{"kanarie'],
  ])(
    "publishes no part of the body if it refuses %s, and the client gets the whole error",
    async (_, body) => {
      const published = watchChannel("submit");
      const reply = await post({}, body);
      expect([400, 422]).toContain(reply.status);
      expect(published.map(({ event }) => event)).toContain("error");
      expect(deepText(published)).not.toContain("kanarie");
    },
  );

  it("passes the whole error on to a caller in process", async () => {
    const published = watchChannel("submit");
    const body = { rows: 1, kanarie: 1 } as { rows: number };
    await expect(service.submit(exportsOf, body, { tenant })).rejects.toMatchObject({
      context: { violations: [{ pointer: "#/kanarie", detail: "is not a known member" }] },
    });
    expect(deepText(published)).not.toContain("kanarie");
  });

  it("publishes to a subscriber of a single event", async () => {
    const codes: unknown[] = [];
    const listener = (message: unknown): void =>
      void codes.push((message as { error: { code: unknown } }).error.code);
    const errors = channel("tracing:async-request-reply:submit:error");
    errors.subscribe(listener);
    onTestFinished(() => void errors.unsubscribe(listener));
    await post({}, REFUSED);
    expect(codes).toEqual(["CONTRACT_VIOLATION"]);
  });

  it("ends before the client has waited for the end of the operation", async () => {
    const published = watchChannel("submit");
    const waiting = post({ prefer: "wait=60" });
    await expect.poll(() => published.at(-1)?.event).toBe("asyncEnd");
    await createWorker(service, { exports: () => {} }).runUntilIdle();
    expect((await waiting).status).toBe(200);
  });
});

describe("the `meta` that a subscriber sets", () => {
  const stored = '{"traceparent":"x"}';
  const setMeta = (): unknown =>
    watchChannel("submit", (message) => {
      message.meta = stored;
    });

  it("is stored with the operation of a POST", async () => {
    setMeta();
    expect(await metaOf(idOf(await post()))).toBe(stored);
  });

  it("is stored with the operation of a submission in process", async () => {
    setMeta();
    const { operationId } = await service.submit(exportsOf, { rows: 1 }, { tenant });
    expect(await metaOf(operationId)).toBe(stored);
  });

  it("is stored beside the follow-up that delivers a webhook", async () => {
    const webhooks = createWebhooks({ endpoint: () => undefined });
    const announcing = createService({ definitions: [exportsOf], backend, webhooks, observe: false });
    setMeta();
    const { operationId } = await announcing.submit(exportsOf, { rows: 1 }, { tenant });
    const operation = await backend.operations.get(operationId, tenant);
    expect(operation).toMatchObject({ meta: stored, onEnd: { definition: "webhook.delivery" } });
  });

  it("does not replace that of an operation which is replayed", async () => {
    let count = 0;
    watchChannel("submit", (message) => {
      message.meta = JSON.stringify({ count: ++count });
    });
    const headers = { "idempotency-key": '"kept"' };
    const id = idOf(await post(headers));
    await post(headers);
    expect([count, await metaOf(id)]).toEqual([2, '{"count":1}']);
  });

  it("is carried to the operation of a redrive", async () => {
    setMeta();
    const { operationId } = await service.submit(exportsOf, { rows: 1 }, { tenant });
    await createWorker(service, { exports: failing(permanentFailure("No.")) }).runUntilIdle();
    const operator = createOperator({ backend, definitions: [exportsOf], observe: false });
    const { operation } = await operator.redrive(operationId);
    expect(await metaOf(operation?.operationId ?? "")).toBe(stored);
  });

  it("is absent without a subscriber, even if the request has a trace context", async () => {
    expect(await metaOf(idOf(await post({ traceparent: TRACEPARENT })))).toBeUndefined();
  });
});
