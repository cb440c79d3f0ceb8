import type { JsonSchema } from "../../contract/definition.js";
import type { ErrorCode } from "../../contract/errors.js";
import type { Components } from "../components.js";
import type { DescribedService } from "../described-service.js";
import type { OpenApiParameter, PathItem, PathOperation } from "../document.js";
import type { NamedDefinition } from "../names.js";
import {
  anyOperation,
  endedOperation,
  OPERATION_ID,
  pendingOperation,
} from "../schemas/operation-schemas.js";
import { resultSchema } from "../schemas/payload-schemas.js";
import { operationContent } from "./content.js";
import { headers } from "./headers.js";
import { commonRefusals, refusals } from "./refusals.js";

/** The tag of the status endpoint. No definition has it for a name: those have no capitals. */
export const STATUS_TAG = "Operations";

/** The path of the status endpoint: `GET` reads (spec §4.2), `DELETE` cancels where a definition allows it. */
export function statusPath(
  service: DescribedService,
  components: Components,
  definitions: readonly NamedDefinition[],
): PathItem {
  const result = resultSchema(components, definitions);
  const canCancel = service.definitions.some(({ cancellable }) => cancellable);
  return {
    parameters: [operationId],
    get: read(service, components, result),
    ...(canCancel ? { delete: cancel(service, components, result) } : {}),
  };
}

function read(service: DescribedService, components: Components, result: JsonSchema): PathOperation {
  const fields = headers(components, {
    "Retry-After": "RetryAfterWhilePending",
    ETag: "EntityTag",
    "Cache-Control": "Revalidated",
    Vary: "AcceptVaries",
    "X-Content-Type-Options": "NoSniff",
    Link: "SuccessorLink",
  });
  return {
    operationId: "getOperation",
    tags: [STATUS_TAG],
    summary: "Read the status of an operation",
    description:
      "The reply is a 200 while the operation is pending and after it has ended, failed or not: `status` tells. " +
      "`HEAD` is answered in the same way, without a body.",
    parameters: [ifNoneMatch],
    responses: {
      200: {
        description: "The operation as it is now.",
        headers: fields,
        content: operationContent(service, anyOperation(components, result)),
      },
      304: { description: "The operation is still as `If-None-Match` says.", headers: fields },
      ...refusals(service, components, refusalsOf(service)),
    },
  };
}

function cancel(service: DescribedService, components: Components, result: JsonSchema): PathOperation {
  const fields = {
    "Cache-Control": "NoStore",
    Vary: "AcceptVaries",
    "X-Content-Type-Options": "NoSniff",
  } as const;
  const names = service.definitions.filter(({ cancellable }) => cancellable).map(({ name }) => `\`${name}\``);
  return {
    operationId: "cancelOperation",
    tags: [STATUS_TAG],
    summary: "Cancel an operation",
    description: `For operations of ${names.join(", ")}. May be repeated; removes nothing.`,
    responses: {
      200: {
        description: "The operation has ended, cancelled or otherwise: `status` and `error` tell.",
        headers: headers(components, fields),
        content: operationContent(service, endedOperation(components, result)),
      },
      202: {
        description: "Somebody works on the operation, and is told to stop. It may complete all the same.",
        headers: headers(components, { "Retry-After": "RetryAfter", ...fields }),
        content: operationContent(service, pendingOperation(components)),
      },
      ...refusals(service, components, [...refusalsOf(service), "METHOD_NOT_ALLOWED"]),
    },
  };
}

function refusalsOf({ settings }: DescribedService): ErrorCode[] {
  return [...commonRefusals(settings), "NOT_FOUND", "STORE_UNAVAILABLE"];
}

const operationId: OpenApiParameter = {
  name: "operationId",
  in: "path",
  description: "As the reply to the submission gave it.",
  required: true,
  schema: OPERATION_ID,
};

const ifNoneMatch: OpenApiParameter = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier reply: as long as it is current the reply is a 304.",
  required: false,
  schema: { type: "string" },
};
