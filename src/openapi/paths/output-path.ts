import type { JsonSchema } from "../../contract/definition/definition.js";
import type { ErrorCode } from "../../contract/errors.js";
import type { OpenApiContent, OpenApiParameter, PathItem } from "../document.js";
import type { Draft } from "../draft.js";
import { chunksSchema } from "../schemas/payload-schemas.js";
import { headers } from "./headers.js";
import { commonRefusals, refusals } from "./refusals.js";
import { ifNoneMatch, operationId, query, STATUS_TAG } from "./status-path.js";
import { canStream, canWait } from "./waiting.js";

/** Returns whether operations of the service have output. */
export function hasOutputs({ definitions }: Draft): boolean {
  return definitions.some(({ chunk }) => chunk !== undefined);
}

/** Describes where an output is read: `GET`, as the reading half of the Durable Streams protocol. */
export function describeOutput(draft: Draft): PathItem {
  const streams = canStream(draft);
  const fields = {
    ETag: "EntityTagOfPart",
    "Cache-Control": "RevalidatedUnlessLive",
    "Stream-Up-To-Date": "StreamUpToDate",
    "Stream-Closed": "StreamClosed",
    "Stream-Cursor": "StreamCursor",
    "X-Content-Type-Options": "NoSniff",
  } as const;
  const whole = headers(draft, { "Stream-Next-Offset": "StreamNextOffset", ...fields });
  const live = headers(draft, {
    "Stream-Next-Offset": "StreamNextOffsetUnlessStreamed",
    "X-Accel-Buffering": "Unbuffered",
    ...fields,
  });
  return {
    parameters: [operationId],
    get: {
      operationId: "getOutput",
      tags: [STATUS_TAG],
      summary: "Read the output of an operation",
      description:
        "The reply has the chunks after `offset`, at most about 256 KB of them. Read on with the offset in `Stream-Next-Offset`. This is " +
        "the reading half of the Durable Streams protocol. `HEAD` gets the end of the output.",
      parameters: parametersOf(draft),
      responses: {
        200: {
          description: "Some chunks, in their order.",
          headers: streams ? live : whole,
          content: contentOf(draft, streams),
        },
        204: {
          description:
            "Only with `live`: there is no further chunk, or not within the time that the request could wait.",
          headers: headers(draft, {
            "Stream-Next-Offset": "StreamNextOffset",
            "Stream-Up-To-Date": "StreamWasUpToDate",
            "Stream-Closed": "StreamClosed",
            "Stream-Cursor": "StreamCursor",
            "Cache-Control": "NoStore",
            "X-Content-Type-Options": "NoSniff",
          }),
        },
        304: {
          description: "The part is the one with the `ETag` in `If-None-Match`.",
          headers: { ...whole, ...headers(draft, { ETag: "EntityTag", "Cache-Control": "Revalidated" }) },
        },
        ...refusals(draft, refusalsOf(draft)),
      },
    },
  };
}

function refusalsOf({ settings }: Draft): readonly ErrorCode[] {
  // Every client can read JSON.
  const common = commonRefusals(settings).filter((code) => code !== "NOT_ACCEPTABLE");
  const others: readonly ErrorCode[] = [
    "INVALID_QUERY",
    "NOT_FOUND",
    "OUTPUT_DISCARDED",
    "STORE_UNAVAILABLE",
  ];
  return [...new Set([...common, ...others, "TOO_MANY_REQUESTS" as const])];
}

function parametersOf(draft: Draft): readonly OpenApiParameter[] {
  const modes = [...(canWait(draft) ? ["long-poll"] : []), ...(canStream(draft) ? ["sse"] : [])];
  const live = query(
    "live",
    "Waits if there is no chunk: `long-poll` for the next part, `sse` for a stream of all further parts. Needs `offset`.",
    { type: "string", enum: modes },
  );
  return [
    query(
      "offset",
      "Place after which to read: `-1` for the beginning, `now` for the end, or the offset of an earlier reply.",
      { type: "string", default: "-1" },
    ),
    ...(modes.length === 0 ? [] : [live]),
    query("cursor", "The `Stream-Cursor` of the last reply with `live`.", { type: "string" }),
    ifNoneMatch,
    ...(canStream(draft) ? [lastEventId] : []),
  ];
}

const lastEventId: OpenApiParameter = {
  name: "Last-Event-ID",
  in: "header",
  description: "`id` of the last event of an earlier stream, which `EventSource` sends. Replaces `offset`.",
  required: false,
  schema: { type: "string" },
};

function contentOf(draft: Draft, streams: boolean): OpenApiContent {
  const all = draft.named.filter(({ definition }) => definition.chunk !== undefined);
  const [first = {}, ...others] = all.map((named) => chunksSchema(draft, named));
  const schema: JsonSchema = others.length === 0 ? first : { anyOf: [first, ...others] };
  const description =
    "Sent with `live=sse`. The data of an event of the type `data` is an array of chunks, which this schema describes. An event of the " +
    "type `control` follows, whose data is an object: `streamClosed` is true after the last chunk.";
  return {
    "application/json": { schema },
    ...(streams ? { "text/event-stream": { schema: { ...schema, description } } } : {}),
  };
}
