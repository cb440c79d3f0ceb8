import { AsyncReplyError } from "../../contract/errors.js";
import type { Observer } from "../../ports/observer.js";
import { parseRingMessage, type Ring } from "../../ports/ring.js";

/** Time after which the broker drops a ring. By then, every idle worker has claimed without it. Milliseconds. */
export const RING_TTL_MS = 10_000;

/**
 * Maximum number of messages for the rings of one definition in one call. Each message wakes up one worker, and a worker that
 * cannot take all work rings on, so these wake up thousands of workers within a few more steps.
 */
export const MAX_MESSAGES = 16;

/** Returns the rings that need a message each, by definition. */
export function mergeRings(rings: readonly Ring[]): ReadonlyMap<string, readonly Ring[]> {
  const merged = new Map<string, Ring[]>();
  for (const ring of rings) {
    const group = merged.get(ring.definition);
    if (group === undefined) merged.set(ring.definition, [ring]);
    else if (group.length < MAX_MESSAGES) group.push(ring);
  }
  return merged;
}

/**
 * Reads the ring from a message. Returns `undefined` for a message of another program, version or definition, and reports it.
 */
export function readRing(text: string, definition: string, observe: Observer): Ring | undefined {
  try {
    const ring = parseRingMessage(text);
    if (ring.definition === definition) return ring;
    throw new AsyncReplyError("CORRUPT_RECORD", otherDefinition(ring.definition, definition));
  } catch (error) {
    observe({ event: "background.failed", step: "read-ring", error });
    return undefined;
  }
}

function otherDefinition(found: string, expected: string): string {
  return (
    `The queue of the definition "${expected}" holds a ring of "${found}". Check that no other program publishes to this ` +
    "queue."
  );
}

/** Header fields of W3C Trace Context. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Printable characters. Others could end a header field. */
const FIELD_VALUE = /^[ -~]{1,512}$/;

/** Returns the header fields for the message of a ring, or `undefined` if it carries no trace context. */
export function traceFieldsOf({ meta }: Ring): TraceFields | undefined {
  if (meta === undefined) return undefined;
  const { traceparent, tracestate } = parsed(meta);
  if (!isFieldValue(traceparent)) return undefined;
  return isFieldValue(tracestate) ? { traceparent, tracestate } : { traceparent };
}

function parsed(meta: string): Readonly<Partial<Record<keyof TraceFields, unknown>>> {
  try {
    return JSON.parse(meta) ?? {};
  } catch {
    return {};
  }
}

function isFieldValue(value: unknown): value is string {
  return typeof value === "string" && FIELD_VALUE.test(value);
}
