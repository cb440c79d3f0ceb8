import type { JsonText } from "../contract/operation.js";
import type { OpenTelemetryApi, SpanContext } from "./api.js";

/** Header fields of W3C Trace Context. */
export interface TraceFields {
  /** Identity of the span that caused the request. */
  readonly traceparent?: string | undefined;
  /** State of the tracing systems that the request went through. */
  readonly tracestate?: string | undefined;
}

/** Version, trace id, span id and flags (W3C Trace Context §3.2). Later versions may add fields at the end. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Maximum length of a `tracestate` that has to be propagated (§3.3.1.5). */
const MAX_STATE_LENGTH = 512;

/** Returns the identity in these fields. Returns undefined if it is malformed; a new trace then starts (§3.2.2). */
export function toSpanContext(
  api: OpenTelemetryApi,
  { traceparent, tracestate }: TraceFields,
): SpanContext | undefined {
  const [, version, traceId, spanId, flags = "", rest] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || (version === "00" && rest !== undefined))
    return undefined;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!api.trace.isSpanContextValid(spanContext)) return undefined;
  const isKept = tracestate !== undefined && tracestate.length <= MAX_STATE_LENGTH;
  return isKept ? { ...spanContext, traceState: api.createTraceState(tracestate) } : spanContext;
}

/** Returns the header fields for an identity, or none if it is not valid. */
export function toFields(api: OpenTelemetryApi, spanContext: SpanContext): Record<string, string> {
  if (!api.trace.isSpanContextValid(spanContext)) return {};
  const { traceId, spanId, traceFlags, traceState } = spanContext;
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  const tracestate = traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/** Returns the identity in the `meta` of an operation, or undefined if it has no trace context. */
export function fromMeta(api: OpenTelemetryApi, meta: JsonText | undefined): SpanContext | undefined {
  if (meta === undefined) return undefined;
  try {
    return toSpanContext(api, JSON.parse(meta) as TraceFields);
  } catch {
    // Another subscriber may have stored something else.
    return undefined;
  }
}
