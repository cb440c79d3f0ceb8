import type { JsonSchema } from "../../contract/definition/definition.js";
import type { ErrorCode } from "../../contract/errors.js";
import type { OpenApiParameter, PathItem, PathOperation } from "../document.js";
import type { Draft } from "../draft.js";
import {
  anyOperation,
  cancellingOperation,
  endedOperation,
  OPERATION_ID,
  operationList,
} from "../schemas/operation-schemas.js";
import { replyContent } from "./content.js";
import { headers } from "./headers.js";
import { commonRefusals, refusals } from "./refusals.js";
import {
  canStream,
  canWait,
  eventContent,
  lastEventId,
  nothingLeft,
  preferWait,
  streamFields,
  waitFields,
} from "./waiting.js";

/** Tag of the status endpoint. */
export const STATUS_TAG = "Operations";

/** Describes the status endpoint: `GET` (spec §4.2), and `DELETE` if a definition is `cancellable`. */
export function describeStatus(draft: Draft): PathItem {
  const canCancel = draft.definitions.some(({ cancellable }) => cancellable);
  return {
    parameters: [operationId],
    get: read(draft),
    ...(canCancel ? { delete: cancel(draft) } : {}),
  };
}

function read(draft: Draft): PathOperation {
  const waits = canWait(draft);
  const streams = canStream(draft);
  const operation = anyOperation(draft);
  const fields = {
    ...headers(draft, {
      "Retry-After": "RetryAfterWhilePending",
      ETag: "EntityTag",
      "Cache-Control": "Revalidated",
      "X-Content-Type-Options": "NoSniff",
      Link: "SuccessorLink",
    }),
    ...waitFields(draft, waits),
  };
  return {
    operationId: "getOperation",
    tags: [STATUS_TAG],
    summary: "Read the status of an operation",
    description:
      "The reply is a 200 while the operation is pending and after it has completed or failed. `status` says which. " +
      "`HEAD` gets the same reply without a body.",
    parameters: [
      ifNoneMatch,
      ...(waits ? [preferWait(draft, UNTIL_NEWS)] : []),
      ...(streams ? [lastEventId] : []),
    ],
    responses: {
      200: {
        description: "The current state of the operation.",
        headers: { ...fields, ...(streams ? streamFields(draft) : {}) },
        content: {
          ...replyContent(draft, "operation", operation),
          ...(streams ? eventContent(operation) : {}),
        },
      },
      ...(streams ? { 204: nothingLeft(draft) } : {}),
      304: {
        description: "The operation has not changed since the reply with the `ETag` in `If-None-Match`.",
        headers: fields,
      },
      ...refusals(draft, refusalsOf(draft)),
    },
  };
}

const UNTIL_NEWS =
  "the operation has ended. With `If-None-Match`, it delays the reply until the operation has changed";

function cancel(draft: Draft): PathOperation {
  const fields = {
    "Cache-Control": "NoStore",
    Vary: "AcceptVaries",
    "X-Content-Type-Options": "NoSniff",
  } as const;
  const names = draft.definitions.filter(({ cancellable }) => cancellable).map(({ name }) => `\`${name}\``);
  return {
    operationId: "cancelOperation",
    tags: [STATUS_TAG],
    summary: "Cancel an operation",
    description: `Cancels an operation of ${names.join(", ")}. The request can be repeated. It does not delete the operation.`,
    responses: {
      200: {
        description: "The operation has ended, cancelled or not. `status` and `error` say how.",
        headers: headers(draft, fields),
        content: replyContent(draft, "operation", endedOperation(draft)),
      },
      202: {
        description:
          "A worker is running the operation and will be asked to stop. The operation may still complete.",
        headers: headers(draft, { "Retry-After": "RetryAfter", ...fields }),
        content: replyContent(draft, "operation", cancellingOperation(draft)),
      },
      ...refusals(draft, [...refusalsOf(draft), "METHOD_NOT_ALLOWED"]),
    },
  };
}

function refusalsOf({ settings }: Draft): ErrorCode[] {
  return [...commonRefusals(settings), "NOT_FOUND", "STORE_UNAVAILABLE"];
}

/** Describes the id in the path. */
export const operationId: OpenApiParameter = {
  name: "operationId",
  in: "path",
  description: "Id of the operation, from the reply to the submission.",
  required: true,
  schema: OPERATION_ID,
};

/** Describes the tag that a client has. */
export const ifNoneMatch: OpenApiParameter = {
  name: "If-None-Match",
  in: "header",
  description: "`ETag` of an earlier reply. If nothing has changed since, the reply is a 304.",
  required: false,
  schema: { type: "string" },
};

/** Describes the path where tenants list their own operations. */
export function describeList(draft: Draft): PathItem {
  return {
    get: {
      operationId: "listOperations",
      tags: [STATUS_TAG],
      summary: "List operations",
      description:
        "Lists the operations of the caller's tenant, newest first. They have neither progress nor results.",
      parameters: parametersOf(draft),
      responses: {
        200: {
          description: "A page of the list.",
          headers: headers(draft, {
            Link: "NextPage",
            "Cache-Control": "NoStore",
            Vary: "AcceptVaries",
            "X-Content-Type-Options": "NoSniff",
          }),
          content: replyContent(draft, "operations", operationList(draft)),
        },
        ...refusals(draft, [...commonRefusals(draft.settings), "INVALID_QUERY", "STORE_UNAVAILABLE"]),
      },
    },
  };
}

function parametersOf({ definitions }: Draft): OpenApiParameter[] {
  const names = definitions.map(({ name }) => name);
  return [
    query("definition", "Only operations of this definition.", { type: "string", enum: names }),
    query("status", "Only operations with this status.", {
      type: "string",
      enum: ["pending", "completed", "failed"],
    }),
    query("cursor", "Start of the page, from the `Link` of the previous page.", { type: "string" }),
    query("limit", "Maximum number of operations.", {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 20,
    }),
  ];
}

/** Describes an optional parameter of the query. */
export function query(name: string, description: string, schema: JsonSchema): OpenApiParameter {
  return { name, in: "query", description, required: false, schema };
}
