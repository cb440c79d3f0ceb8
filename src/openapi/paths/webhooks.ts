import type { JsonSchema } from "../../contract/definition/definition.js";
import type { OpenApiParameter, OpenApiResponse, PathItem, Reference } from "../document.js";
import type { Draft } from "../draft.js";
import { OPERATION_ID } from "../schemas/operation-schemas.js";
import { anyProblem, operationErrors } from "../schemas/problem-schemas.js";
import { STATUS_TAG } from "./status-path.js";

/** The field with which a request chooses the receiver of its webhook. */
export const WEBHOOK_URL: OpenApiParameter = {
  name: "Webhook-URL",
  in: "header",
  description:
    "URL that is called when the work has ended, instead of the registered endpoint. Must use https.",
  required: false,
  schema: { type: "string", format: "uri", maxLength: 2_048 },
};

/** Describes the request that announces the end of an operation. */
export function endedWebhook(draft: Draft): PathItem {
  return {
    post: {
      operationId: "receiveOperationEnded",
      tags: [STATUS_TAG],
      summary: "Learn that an operation has ended",
      description:
        "Sent to your endpoint when an operation completes or fails, signed as Standard Webhooks 1.0 describes. It may arrive " +
        "more than once with the same `webhook-id`. To get the result, read the operation.",
      security: [],
      parameters: [
        field("webhook-id", "Id of the webhook: the same on every attempt.", OPERATION_ID),
        field("webhook-timestamp", "Time of the attempt, in seconds since 1970.", { type: "integer" }),
        field("webhook-signature", "Signatures `v1,…` or `v1a,…`, separated by spaces.", { type: "string" }),
      ],
      requestBody: {
        description: "The operation, without its result.",
        required: true,
        content: { "application/json": { schema: endedEvent(draft) } },
      },
      responses: {
        "2XX": answer("The webhook was accepted."),
        410: answer("The webhook is not wanted, and this delivery ends."),
        default: answer("The webhook is sent again later, unless this is a redirect."),
      },
    },
  };
}

function endedEvent(draft: Draft): Reference {
  const error = anyProblem(draft, operationErrors(draft));
  const completed = event("completed", {});
  const failed = event("failed", { error });
  return draft.schema("OperationEnded", { oneOf: [completed, failed] });
}

function event(status: "completed" | "failed", members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: "object",
    properties: {
      type: { type: "string", const: `operation.${status}` },
      timestamp: { type: "string", format: "date-time", description: "Time when the operation ended." },
      data: {
        type: "object",
        properties: { operationId: OPERATION_ID, status: { type: "string", const: status }, ...members },
        required: ["operationId", "status", ...Object.keys(members)],
      },
    },
    required: ["type", "timestamp", "data"],
  };
}

function field(name: string, description: string, schema: JsonSchema): OpenApiParameter {
  return { name, in: "header", description, required: true, schema };
}

function answer(description: string): OpenApiResponse {
  return { description, headers: {} };
}
