/**
 * Traces and metrics for OpenTelemetry. Runs on Node.js, Bun and Deno.
 *
 * @module async-request-reply/opentelemetry
 */

export type {
  Attributes,
  BatchResult,
  Instrument,
  InstrumentOptions,
  Meter,
  OpenTelemetryApi,
  Span,
  SpanContext,
  SpanOptions,
  Tracer,
  TracerProvider,
  TraceState,
} from "./api.js";
export {
  startTelemetry,
  type Telemetry,
  type TelemetryOptions,
} from "./start-telemetry.js";
