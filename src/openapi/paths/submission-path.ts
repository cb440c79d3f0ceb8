import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import type { ErrorCode } from "../../contract/errors.js";
import type { OpenApiLink, OpenApiParameter, OpenApiResponse, PathItem } from "../document.js";
import { type Draft, type NamedDefinition, toPascalCase } from "../draft.js";
import { embedSchema } from "../schemas/embed-schema.js";
import { acceptedOperation, endedOperationOf } from "../schemas/operation-schemas.js";
import { inputSchema, memberSchemas } from "../schemas/payload-schemas.js";
import { replyContent, requestContent } from "./content.js";
import { headers, withNotice } from "./headers.js";
import { commonRefusals, refusals } from "./refusals.js";
import { canWait, preferWait, waitFields } from "./waiting.js";
import { WEBHOOK_URL } from "./webhooks.js";

/** Describes the path of a definition, where `POST` submits work (spec §4.1). */
export function submissionPath(draft: Draft, named: NamedDefinition): PathItem {
  const { definition, name } = named;
  const waits = canWait(draft) && !creates(draft, definition);
  const responses = {
    ...(waits ? { 200: ended(draft, named) } : {}),
    ...(creates(draft, definition) ? { 201: created(draft, definition) } : {}),
    202: accepted(draft, definition, waits),
    ...refusals(draft, submissionRefusals(draft, definition)),
  };
  return {
    post: {
      operationId: `submit${name}`,
      tags: [definition.name],
      summary: `Submit work: ${definition.name}`,
      description: describe(draft, definition),
      ...(definition.deprecated === undefined ? {} : { deprecated: true }),
      parameters: [
        ...pathParameters(draft, named),
        idempotencyKey(definition),
        ...priority(definition),
        ...(draft.webhooks?.takesUrls ? [WEBHOOK_URL] : []),
        ...(waits ? [preferWait(draft, "the work has ended")] : []),
      ],
      requestBody: {
        description: describeBody(draft, definition),
        required: true,
        content: requestContent(draft, inputSchema(draft, named), definition.rootName),
      },
      responses: withNotice(responses, definition.deprecated),
    },
  };
}

/** Returns whether the service creates the resource of a definition before the reply. */
function creates({ create }: Draft, { name }: OperationDefinition): boolean {
  return Object.hasOwn(create, name);
}

function submissionRefusals(draft: Draft, definition: OperationDefinition): ErrorCode[] {
  return [
    ...commonRefusals(draft.settings),
    // A path field may be malformed.
    ...(definition.path.includes("{") ? (["NOT_FOUND"] as const) : []),
    "UNSUPPORTED_MEDIA_TYPE",
    "UNSUPPORTED_CONTENT_CODING",
    "INVALID_IDEMPOTENCY_KEY",
    ...(definition.idempotencyKey === "required" ? (["MISSING_IDEMPOTENCY_KEY"] as const) : []),
    "BODY_TOO_LARGE",
    "BODY_TIMEOUT",
    "BODY_ABORTED",
    "MALFORMED_BODY",
    "CONTRACT_VIOLATION",
    "IDEMPOTENCY_KEY_REUSED",
    "SUBMISSION_IN_PROGRESS",
    ...(creates(draft, definition) ? (["CREATION_IN_PROGRESS", "CREATION_FAILED"] as const) : []),
    ...pendingRefusals(definition),
    "SUBMISSION_UNCERTAIN",
  ];
}

function pendingRefusals({ limits }: OperationDefinition): ErrorCode[] {
  return [
    ...(limits?.pendingPerTenant === undefined ? [] : (["TOO_MANY_PENDING"] as const)),
    ...(limits?.pending === undefined ? [] : (["BACKLOG_FULL"] as const)),
  ];
}

function describe(draft: Draft, definition: OperationDefinition): string {
  const reply =
    "The reply comes before the work is done. To follow the work, read the status of the operation.";
  return creates(draft, definition) ? `Creates a resource and submits work on it. ${reply}` : reply;
}

function describeBody({ settings }: Draft, { path }: OperationDefinition): string {
  const { maxBodyBytes, maxDepth, bodyTimeoutMs } = settings;
  const fields = pathFields(path).map((name) => `\`${name}\``);
  const given =
    `The path contains ${fields.join(", ").replace(/, ([^,]*)$/, " and $1")}. The body may omit them. If it contains ` +
    "them, their values must be equal.";
  return (
    `At most ${maxBodyBytes} bytes, which must arrive within ${bodyTimeoutMs} ms. Arrays and objects can be nested at ` +
    `most ${maxDepth} deep. The encoding is UTF-8 without a byte order mark and without a \`Content-Encoding\`.` +
    (fields.length === 0 ? "" : ` ${given}`)
  );
}

function idempotencyKey({ idempotencyKey }: OperationDefinition): OpenApiParameter {
  return {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: the same request with the same key gets the same operation. Use a random key of 1 to 255 " +
      "characters, such as a UUID, with or without double quotes (RFC 8941).",
    required: idempotencyKey === "required",
    schema: { type: "string", minLength: 1, maxLength: 4_096 },
  };
}

/** Describes the field with which clients may choose the urgency. */
function priority({ urgency, clientUrgency }: OperationDefinition): OpenApiParameter[] {
  if (clientUrgency === undefined) return [];
  const { from, to } = clientUrgency;
  return [
    {
      name: "Priority",
      in: "header",
      description:
        `\`u=N\` (RFC 9218) says when the work begins if much is waiting, from ${from}, which begins first, to ${to}. Other ` +
        `values count as the nearest of these. Default: ${urgency}. Other members are ignored.`,
      required: false,
      schema: { type: "string", examples: [`u=${from}`] },
    },
  ];
}

function created(draft: Draft, { rootName }: OperationDefinition): OpenApiResponse {
  const resource = draft.schema("CreatedResource", {
    type: "object",
    description: "The resource, as it was created.",
  });
  return {
    description: "The resource was created, and work on it was accepted.",
    headers: headers(draft, {
      Location: "ResourceLocation",
      "Operation-Location": "StatusLocation",
      Vary: "AcceptVaries",
      ...REPLY_FIELDS,
    }),
    content: replyContent(draft, "resource", resource, rootName),
  };
}

function ended(draft: Draft, named: NamedDefinition): OpenApiResponse {
  return {
    description: "The work ended while the request waited. `status` and `error` say how.",
    headers: headers(draft, {
      "Content-Location": "StatusLocation",
      Vary: "AcceptAndPreferVary",
      "Preference-Applied": "PreferenceWasApplied",
      ...REPLY_FIELDS,
    }),
    content: replyContent(draft, "operation", endedOperationOf(draft, named)),
  };
}

function accepted(draft: Draft, { cancellable }: OperationDefinition, waits: boolean): OpenApiResponse {
  return {
    description: "The work was accepted and recorded. It is not done yet, unless the key was used before.",
    headers: {
      ...headers(draft, { Location: "StatusLocation", "Retry-After": "RetryAfter", ...REPLY_FIELDS }),
      ...waitFields(draft, waits),
    },
    content: replyContent(draft, "operation", acceptedOperation(draft)),
    links: {
      status: linkTo("getOperation", "Reads the status of the operation."),
      ...(cancellable ? { cancel: linkTo("cancelOperation", "Cancels the operation.") } : {}),
    },
  };
}

const REPLY_FIELDS = {
  "Idempotent-Replayed": "IdempotentReplayed",
  "Cache-Control": "NoStore",
  "X-Content-Type-Options": "NoSniff",
  Link: "SuccessorLink",
} as const;

function linkTo(operationId: string, description: string): OpenApiLink {
  return { operationId, parameters: { operationId: "$response.body#/operationId" }, description };
}

/** Describes the path fields of a definition. Each has the schema of its member in the input. */
function pathParameters(draft: Draft, { definition, name }: NamedDefinition): OpenApiParameter[] {
  return pathFields(definition.path).map((field) => ({
    name: field,
    in: "path",
    description: `Member \`${field}\` of the input.`,
    required: true,
    schema: fieldSchema(draft, `${name}${toPascalCase(field)}`, definition.jsonSchema, field),
  }));
}

function fieldSchema(
  draft: Draft,
  component: string,
  root: JsonSchema | undefined,
  field: string,
): JsonSchema {
  const found = root === undefined ? [] : memberSchemas(root, field);
  const [schema, ...others] = found;
  // Without a schema the text of the path is the value.
  if (schema === undefined) return { type: "string" };
  const whole = others.length === 0 ? schema : { anyOf: found };
  if (!JSON.stringify(whole).includes('"$ref"')) return whole;
  const { $defs, definitions } = root ?? {};
  return embedSchema(draft, component, { ...whole, $defs, definitions }) ?? { type: "string" };
}
