import { invalidOption, isObject } from "../contract/options.js";

/** Part of a template that the id of a trace replaces. */
const TRACE_ID = "{traceId}";
/** A `traceparent` (W3C Trace Context §3.2). */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/**
 * Checks the template of the URL of a trace.
 *
 * Throws `INVALID_OPTION`.
 */
export function readTraceUrl(value: unknown, name: string): string {
  const isTemplate = typeof value === "string" && value.includes(TRACE_ID) && URL.canParse(value);
  if (isTemplate && ["http:", "https:"].includes(new URL(value).protocol)) return value;
  throw invalidOption(
    name,
    `an http or https URL with \`${TRACE_ID}\`, such as "https://jaeger.example/trace/${TRACE_ID}"`,
    value,
  );
}

/** Returns the URL of the trace that an operation was submitted in. */
export function traceUrlOf(template: string | undefined, meta: unknown): string | undefined {
  const { traceparent } = (isObject(meta) ? meta : {}) as { readonly traceparent?: unknown };
  const [, traceId] = TRACEPARENT.exec(String(traceparent)) ?? [];
  return traceId === undefined ? undefined : template?.replaceAll(TRACE_ID, traceId);
}
