import { AsyncReplyError } from "../../contract/errors.js";
import { type Announcement, parseAnnouncement } from "../../ports/announcement.js";
import type { Observer } from "../../ports/observer.js";

/** Returns the body of the message that carries an announcement. */
export function toMessage({ version, id, operationId, definition }: Announcement): string {
  return JSON.stringify({ version, id, operationId, definition });
}

/** Header fields of W3C Trace Context. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Printable characters. Others could end a header field. */
const FIELD_VALUE = /^[ -~]{1,512}$/;

/** Returns the header fields for the message of an announcement, or `undefined` if it carries no trace context. */
export function traceFieldsOf({ meta }: Announcement): TraceFields | undefined {
  if (meta === undefined) return undefined;
  const { traceparent, tracestate } = (parsed(meta) ?? {}) as Readonly<Record<keyof TraceFields, unknown>>;
  if (!isFieldValue(traceparent)) return undefined;
  return isFieldValue(tracestate) ? { traceparent, tracestate } : { traceparent };
}

function isFieldValue(value: unknown): value is string {
  return typeof value === "string" && FIELD_VALUE.test(value);
}

/**
 * Reads the announcement from a message. Returns `undefined` for a message of another program or of another version,
 * and reports it. Acknowledge such a message: it would be as unreadable next time.
 */
export function readMessage(text: string, definition: string, observe: Observer): Announcement | undefined {
  try {
    const announcement = parseAnnouncement(parsed(text));
    if (announcement.definition === definition) return announcement;
    throw new AsyncReplyError("CORRUPT_RECORD", otherDefinition(announcement.definition, definition));
  } catch (error) {
    observe({ event: "background.failed", step: "read-announcement", error });
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser quotes the text, which might belong to another program.
    return undefined;
  }
}

function otherDefinition(found: string, expected: string): string {
  return (
    `The queue of the definition "${expected}" holds an announcement of "${found}". Check that no other program ` +
    "publishes to this queue."
  );
}
