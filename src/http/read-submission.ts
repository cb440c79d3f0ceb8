import { canonicalJson } from "../core/canonical-json.js";
import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import { parseIdempotencyKey } from "../core/idempotency-key.js";
import type { JsonText } from "../core/operation.js";
import { validate } from "../core/validate.js";
import { replyFormat } from "../formats/accept.js";
import type { Format } from "../formats/format.js";
import { refuseContentCoding, requestFormat } from "../formats/media-type.js";
import type { Service } from "./context.js";
import { fieldValue, header, singleHeader } from "./headers.js";
import type { HttpRequest } from "./message.js";
import { readBody } from "./read-body.js";

/** A request that may be recorded: everything that can be refused has been. */
export interface ReadSubmission {
  readonly replyFormat: Format;
  readonly key: string | undefined;
  /** The payload as parsed, in RFC 8785 form. */
  readonly input: JsonText;
  readonly fingerprint: string;
  /** What the schema makes of the payload. */
  readonly output: unknown;
}

/**
 * Negotiates, reads, parses and validates, in this order (spec §2: syntax and contract are separate checks).
 *
 * @throws AsyncReplyError the first reason to refuse the request
 */
export async function readSubmission(
  service: Service,
  request: HttpRequest,
  definition: OperationDefinition,
): Promise<ReadSubmission> {
  const { formats, settings, runtime } = service;
  const { headers } = request;
  const format = requestFormat(singleHeader(headers, "content-type"), formats);
  refuseContentCoding(header(headers, "content-encoding"));
  const accepted = replyFormat(header(headers, "accept"), formats);
  const key = readKey(request, definition);
  const bytes = await readBody(request, settings, runtime.clock);
  const { rootName, jsonSchema } = definition;
  const value = format.parse(bytes, { limits: settings, name: rootName, schema: jsonSchema });
  const output = await validate(definition.input, value);
  const input = canonicalJson(value);
  return { replyFormat: accepted, key, input, fingerprint: await fingerprint(input, runtime.hash), output };
}

function readKey({ headers }: HttpRequest, definition: OperationDefinition): string | undefined {
  const line = fieldValue(headers, "idempotency-key");
  if (typeof line === "object") {
    throw new AsyncReplyError(
      "INVALID_IDEMPOTENCY_KEY",
      "The header field Idempotency-Key must not be repeated.",
    );
  }
  if (line !== undefined) return parseIdempotencyKey(line);
  if (definition.idempotencyKey === "optional") return undefined;
  throw new AsyncReplyError("MISSING_IDEMPOTENCY_KEY", "The header field Idempotency-Key is required here.");
}
