import * as api from "@opentelemetry/api";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { createMemoryBackend, createService, createWorker, permanentFailure } from "async-request-reply";
import { startTelemetry } from "async-request-reply/opentelemetry";
import { describe, expect, it, onTestFinished } from "vitest";
import { status } from "../support/webhooks/receiver.js";
import { exportsOf, type WebhookStage } from "../support/webhooks/stage.js";
import { announce, openStage } from "../webhooks/stage.js";
import { record } from "./telemetry.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

/** Returns what is stored with an operation about its trace. */
async function metaOf({ backend }: WebhookStage, operationId: string): Promise<object> {
  return JSON.parse((await backend.operations.get(operationId, "acme"))?.meta ?? "");
}

describe("the span of a submission", () => {
  it("continues the trace of the client", async () => {
    const stage = await openStage();
    const recording = record();
    const operationId = await stage.submit("complete", { traceparent: TRACEPARENT, tracestate: "vendor=1" });
    const span = recording.span("submit exports");
    expect(span.spanContext().traceId).toBe(TRACE_ID);
    expect(span.parentSpanContext).toMatchObject({ spanId: SPAN_ID, isRemote: true });
    expect(span.kind).toBe(api.SpanKind.PRODUCER);
    expect(span.attributes).toEqual({
      "messaging.system": "async-request-reply",
      "messaging.operation.name": "submit",
      "messaging.operation.type": "send",
      "messaging.destination.name": "exports",
      "messaging.message.id": operationId,
      "async_request_reply.tenant": "acme",
      "async_request_reply.outcome": "accepted",
    });
    const traceparent = `00-${TRACE_ID}-${span.spanContext().spanId}-01`;
    expect(await metaOf(stage, operationId)).toEqual({ traceparent, tracestate: "vendor=1" });
  });

  it.each([
    ["has too few digits", `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
    ["has upper-case digits", TRACEPARENT.toUpperCase()],
    ["has a trace id of zeros", `00-${"0".repeat(32)}-${SPAN_ID}-01`],
    ["has a span id of zeros", `00-${TRACE_ID}-${"0".repeat(16)}-01`],
    ["has the version ff", `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ["has more fields than its version", `${TRACEPARENT}-00`],
    ["is repeated", `${TRACEPARENT}, ${TRACEPARENT}`],
    ["is text", "anything"],
    ["is empty", ""],
  ])("starts a new trace if `traceparent` %s", async (_, traceparent) => {
    const stage = await openStage();
    const recording = record();
    const operationId = await stage.submit("complete", { traceparent, tracestate: "vendor=1" });
    const span = recording.span("submit exports");
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).not.toBe(TRACE_ID);
    const { traceId, spanId } = span.spanContext();
    expect(await metaOf(stage, operationId)).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  });

  it("accepts a later version with more fields, and drops a `tracestate` that is too long", async () => {
    const stage = await openStage();
    const recording = record();
    const traceparent = `01-${TRACE_ID}-${SPAN_ID}-01-more`;
    const operationId = await stage.submit("complete", { traceparent, tracestate: `a=${"x".repeat(511)}` });
    expect(recording.span("submit exports").spanContext().traceId).toBe(TRACE_ID);
    expect(Object.keys(await metaOf(stage, operationId))).toEqual(["traceparent"]);
  });

  it("is a child of the active span, also in process, and not of the header field", async () => {
    const stage = await openStage();
    const recording = record();
    const server = api.trace.getTracer("test").startSpan("POST /exports");
    await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, server), async () => {
      await stage.submit("complete", { traceparent: TRACEPARENT });
      const [definition] = stage.service.definitions;
      await stage.service.submit(definition, { outcome: "complete" }, { tenant: "acme" });
    });
    const parents = recording.spans().map((span) => span.parentSpanContext?.spanId);
    expect(parents).toEqual([server.spanContext().spanId, server.spanContext().spanId]);
  });

  it("names the problem of a refusal, which is an error only if it is the fault of the service", async () => {
    const stage = await openStage();
    const recording = record();
    await stage.post("nothing");
    await stage.service.close();
    const span = recording.span("submit exports");
    expect(span.attributes).toMatchObject({ "error.type": "contract-violation" });
    expect(span.status.code).toBe(api.SpanStatusCode.UNSET);
  });
});

describe("the spans of attempts and deliveries", () => {
  it("start their own traces, and link to the submission", async () => {
    const stage = await openStage();
    const recording = record();
    const operationId = await announce(stage);
    const [submit, process, deliver] = ["submit", "process", "deliver"].map((name) =>
      recording.span(`${name} exports`),
    );
    for (const span of [process, deliver]) {
      expect(span?.parentSpanContext).toBeUndefined();
      expect(span?.spanContext().traceId).not.toBe(submit?.spanContext().traceId);
      expect(span?.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([
        [submit?.spanContext().traceId, submit?.spanContext().spanId],
      ]);
      expect(span?.attributes).toMatchObject({
        "messaging.message.id": operationId,
        "async_request_reply.attempt": 1,
        "async_request_reply.tenant": "acme",
      });
    }
    expect(submit?.attributes).toMatchObject({ "async_request_reply.tenant": "acme" });
    expect([process?.kind, deliver?.kind]).toEqual([api.SpanKind.CONSUMER, api.SpanKind.CLIENT]);
    expect(process?.attributes["async_request_reply.outcome"]).toBe("completed");
    expect(deliver?.attributes["http.response.status_code"]).toBe(204);
  });

  it('belong to the trace of the submission with `relation: "parent"`', async () => {
    const stage = await openStage();
    const recording = record({ relation: "parent" });
    await announce(stage, "complete", { traceparent: TRACEPARENT });
    const submit = recording.span("submit exports").spanContext().spanId;
    expect(recording.spans().map((span) => [span.name, span.spanContext().traceId])).toEqual(
      ["submit", "process", "deliver"].map((name) => [`${name} exports`, TRACE_ID]),
    );
    const later = ["process exports", "deliver exports"].map((name) => recording.span(name));
    expect(later.map((span) => span.parentSpanContext?.spanId)).toEqual([submit, submit]);
  });

  it("propagate the trace context of the delivery to the receiver", async () => {
    const stage = await openStage();
    const recording = record();
    await announce(stage, "complete", { traceparent: TRACEPARENT, tracestate: "vendor=1" });
    const { traceId, spanId } = recording.span("deliver exports").spanContext();
    expect(stage.receiver.received[0]?.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });

  it("are one for each attempt, and show why it failed", async () => {
    const stage = await openStage();
    stage.receiver.answer(status(503));
    const recording = record();
    await stage.submit("refuse");
    await stage.workFor(10_000);
    const process = recording.span("process exports");
    expect(process.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(process.attributes).toMatchObject({
      "error.type": permanentFailure("").code,
      "async_request_reply.outcome": "failed",
    });
    expect(process.events.map(({ name }) => name)).toEqual(["exception"]);
    const deliveries = recording.spans().filter(({ name }) => name === "deliver exports");
    expect(deliveries.map(({ status: { code }, attributes }) => [code, attributes])).toMatchObject([
      [api.SpanStatusCode.ERROR, { "http.response.status_code": 503, "error.type": "RETRY_LATER" }],
      [api.SpanStatusCode.UNSET, { "http.response.status_code": 204, "async_request_reply.attempt": 2 }],
    ]);
  });

  it("start new traces if something else than a trace context is stored with the operation", async () => {
    const stage = await openStage();
    const recording = record();
    const input = '{"outcome":"complete"}';
    const operation = { definition: "exports", tenant: "acme", input, retentionMs: 1_000 };
    for (const [index, meta] of ["{", "null", "[]", '{"traceparent":1}'].entries()) {
      const id = `01900000-0000-7000-8000-00000000000${index}`;
      await stage.backend.operations.create({ ...operation, id, meta });
      await stage.backend.queue.publish([{ operationId: id, definition: "exports" }]);
    }
    await stage.work();
    const shown = recording.spans().map(({ name, links }) => [name, links.length]);
    expect(shown).toEqual(new Array(4).fill(["process exports", 0]));
  });

  it("use only names of the semantic conventions that they refer to, and own ones", async () => {
    const stage = await openStage();
    const recording = record();
    await announce(stage, "refuse");
    const known = new Set<unknown>(Object.values(conventions).filter((value) => typeof value === "string"));
    const used = recording.spans().flatMap(({ attributes }) => Object.keys(attributes));
    const foreign = used.filter((name) => !name.startsWith("async_request_reply."));
    expect(foreign.length).toBeGreaterThan(0);
    expect(foreign.filter((name) => !known.has(name))).toEqual([]);
    for (const { instrumentationScope } of recording.spans())
      expect(instrumentationScope.schemaUrl).toBe("https://opentelemetry.io/schemas/1.45.0");
  });
});

it("runs processors in the context of their span, so that your own spans nest", async () => {
  const recording = record();
  const backend = createMemoryBackend();
  const service = createService({ definitions: [exportsOf], backend, observe: false });
  onTestFinished(() => service.close());
  await service.submit(exportsOf, { outcome: "complete" }, { tenant: "acme" });
  const run = async (): Promise<void> => {
    await new Promise(setImmediate);
    api.trace.getTracer("test").startSpan("write rows").end();
  };
  await createWorker(service, { exports: run }).runUntilIdle();
  const { spanId } = recording.span("process exports").spanContext();
  expect(recording.span("write rows").parentSpanContext?.spanId).toBe(spanId);
});

it("ends with `stop`: there are no more spans, and no `meta`", async () => {
  const stage = await openStage();
  const telemetry = startTelemetry({ api });
  telemetry.stop();
  telemetry.stop();
  const id = await stage.submit("complete", { traceparent: TRACEPARENT });
  expect((await stage.backend.operations.get(id, "acme"))?.meta).toBeUndefined();
});

it("passes the trace context of the client on to the receiver if no SDK has started", async () => {
  const stage = await openStage();
  const telemetry = startTelemetry({ api, relation: "parent" });
  onTestFinished(() => telemetry.stop());
  await announce(stage, "complete", { traceparent: TRACEPARENT });
  expect(stage.receiver.received[0]?.headers.traceparent).toBe(TRACEPARENT);
});
