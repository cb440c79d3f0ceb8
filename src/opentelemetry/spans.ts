import { isAsyncReplyError } from "../contract/errors.js";
import { replyTo } from "../http/message/problems.js";
import { WEBHOOK_DELIVERY } from "../ports/webhooks.js";
import type { DeliverMessage, ProcessMessage, SubmitMessage, TracedWork } from "../telemetry/messages.js";
import type { Attributes, OpenTelemetryApi, Span, SpanOptions } from "./api.js";
import {
  errorType,
  messaging,
  OUTCOME,
  ofAttempt,
  outcomeOf,
  SCHEMA_URL,
  SCOPE,
  TENANT,
} from "./conventions.js";
import type { ChannelHandlers } from "./subscribe.js";
import { fromMeta, toFields, toSpanContext } from "./trace-context.js";

/** Creates the handlers that turn the messages of the channels into spans. */
export function createSpans(api: OpenTelemetryApi, relation: "link" | "parent"): ChannelHandlers {
  const tracer = api.trace.getTracerProvider().getTracer(SCOPE, undefined, { schemaUrl: SCHEMA_URL });
  const spans = new WeakMap<TracedWork, Span>();

  /** Starts a span, and runs the work in its context. */
  function begin(message: TracedWork, name: string, options: SpanOptions, parent: unknown): Span {
    const span = tracer.startSpan(name, options, parent);
    const context = api.trace.setSpan(parent, span);
    const { around } = message;
    message.around = (work) =>
      api.context.with(context, () => (around === undefined ? work() : around(work)));
    spans.set(message, span);
    return span;
  }

  /** Starts a span that belongs to the submission of an operation. */
  function beginLater(message: ProcessMessage | DeliverMessage, name: string, options: SpanOptions): Span {
    const origin = fromMeta(api, message.meta);
    if (origin === undefined) return begin(message, name, options, api.ROOT_CONTEXT);
    if (relation === "link")
      return begin(message, name, { ...options, links: [{ context: origin }] }, api.ROOT_CONTEXT);
    return begin(message, name, options, api.trace.setSpanContext(api.ROOT_CONTEXT, origin));
  }

  function end(message: TracedWork, attributes: Attributes): void {
    const span = spans.get(message);
    span?.setAttributes(attributes);
    span?.end();
  }

  function fail(message: TracedWork): void {
    const span = spans.get(message);
    span?.setAttributes({ "error.type": errorType(message.error) });
    span?.setStatus({ code: api.SpanStatusCode.ERROR });
    span?.recordException(message.error instanceof Error ? message.error : String(message.error));
  }

  /** Returns the active context, or that of the client if no span is active. */
  function contextOf({ header }: SubmitMessage): unknown {
    const active = api.context.active();
    if (api.trace.getSpanContext(active) !== undefined) return active;
    const client = toSpanContext(api, {
      traceparent: header?.("traceparent"),
      tracestate: header?.("tracestate"),
    });
    return client === undefined ? active : api.trace.setSpanContext(active, client);
  }

  return {
    submit: {
      start: (message) => {
        const { definition } = message;
        const attributes = messaging("submit", "send", definition);
        const options = { kind: api.SpanKind.PRODUCER, attributes };
        const span = begin(message, `submit ${definition}`, options, contextOf(message));
        const fields = toFields(api, span.spanContext());
        if (fields.traceparent !== undefined) message.meta = JSON.stringify(fields);
      },
      error: (message) => {
        const { problem, status } = refusalOf(message.error);
        // A mistake of the client is not an error of this service.
        if (status >= 500) fail(message);
        spans.get(message)?.setAttributes({ "error.type": problem });
      },
      asyncEnd: (message) => {
        const { operationId, tenant, outcome = "refused" } = message;
        const id = operationId === undefined ? {} : { "messaging.message.id": operationId };
        end(message, { ...id, ...(tenant === undefined ? {} : { [TENANT]: tenant }), [OUTCOME]: outcome });
      },
    },
    process: {
      start: (message) => {
        const { definition } = message;
        // A delivery has its own span.
        if (definition === WEBHOOK_DELIVERY) return;
        const attributes = { ...messaging("process", "process", definition), ...ofAttempt(message) };
        beginLater(message, `process ${definition}`, { kind: api.SpanKind.CONSUMER, attributes });
      },
      error: fail,
      asyncEnd: (message) => end(message, { [OUTCOME]: outcomeOf(message) }),
    },
    deliver: {
      start: (message) => {
        const { definition } = message;
        const attributes = { ...messaging("deliver", "send", definition), ...ofAttempt(message) };
        const span = beginLater(message, `deliver ${definition}`, { kind: api.SpanKind.CLIENT, attributes });
        Object.assign(message.headers, toFields(api, span.spanContext()));
      },
      error: fail,
      asyncEnd: (message) =>
        end(message, message.status === undefined ? {} : { "http.response.status_code": message.status }),
    },
  };
}

/** Returns the problem type and the status of the reply to an error. */
export function refusalOf(error: unknown): { readonly problem: string; readonly status: number } {
  return replyTo(isAsyncReplyError(error) ? error.code : "INTERNAL");
}
