import type { OpenApiContent, OpenApiParameter, OpenApiResponse, Reference } from "../document.js";
import type { Draft } from "../draft.js";
import { headers, type ResponseHeaders } from "./headers.js";

/** Returns whether requests of the service can wait for the end of an operation. */
export function canWait({ settings }: Draft): boolean {
  return settings.maxWaitMs > 0;
}

/** Describes the `Prefer` field of a request that can wait. */
export function preferWait({ settings }: Draft, until: string): OpenApiParameter {
  const seconds = Math.ceil(settings.maxWaitMs / 1_000);
  return {
    name: "Prefer",
    in: "header",
    description:
      `\`wait=N\` (RFC 7240) delays the reply for up to N seconds, at most ${seconds}, until ${until}. The server may ` +
      "ignore it. It ignores other preferences.",
    required: false,
    schema: { type: "string", examples: [`wait=${seconds}`] },
  };
}

/** Describes the fields of a reply that depends on `Accept`, and on `Prefer` if the request can wait. */
export function waitFields(draft: Draft, waits: boolean): ResponseHeaders {
  if (!waits) return headers(draft, { Vary: "AcceptVaries" });
  return headers(draft, { Vary: "AcceptOrPreferVaries", "Preference-Applied": "PreferenceApplied" });
}

/** Returns whether clients can get an operation as a stream of events. */
export function canStream({ settings }: Draft): boolean {
  return settings.maxStreamMs > 0;
}

/** Describes the event that a client has. */
export const lastEventId: OpenApiParameter = {
  name: "Last-Event-ID",
  in: "header",
  description:
    "`id` of the last event of an earlier stream, or the `ETag` of a reply in JSON. The stream then begins with the next " +
    "state. If that state was the last one, the reply is a 204. `EventSource` sends this field when it reconnects.",
  required: false,
  schema: { type: "string" },
};

/**
 * Describes a stream of events by the `data` of an event, because OpenAPI 3.1 cannot describe events. A generated client
 * then has one type for all replies.
 */
export function eventContent(operation: Reference): OpenApiContent {
  const description =
    "Sent if `Accept` prefers this media type to all others and names it. Each event is the current state of the " +
    "operation: `id` is its `ETag`, and `data` is the operation in JSON, which this schema describes. The stream ends " +
    "after the event with the final state, or earlier: then reconnect with `Last-Event-ID`.";
  return { "text/event-stream": { schema: { ...operation, description } } };
}

/** Describes the fields of a 200 that may be a stream, in addition to those that are always the same. */
export function streamFields(draft: Draft): ResponseHeaders {
  return headers(draft, {
    ETag: "EntityTagUnlessStreamed",
    "Cache-Control": "RevalidatedUnlessStreamed",
    "X-Accel-Buffering": "Unbuffered",
  });
}

/** Describes the reply to a client that reconnects although it has the final state. */
export function nothingLeft(draft: Draft): OpenApiResponse {
  return {
    description:
      "Only for `text/event-stream`: the operation has ended, and `Last-Event-ID` is its final state. Do not reconnect.",
    headers: headers(draft, { "Cache-Control": "NoStore", Vary: "AcceptVaries" }),
  };
}
