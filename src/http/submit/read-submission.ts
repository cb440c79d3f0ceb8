import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import type { PathParams } from "../../contract/definition/path-pattern.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { parseIdempotencyKey } from "../../contract/idempotency-key.js";
import { adoptPromise } from "../../contract/options.js";
import type { Format, ParseContext, ParsedBody } from "../../formats/format.js";
import { joined, type RequestFields, single } from "../message/headers.js";
import { parseMediaType } from "../negotiation/media-type.js";
import { replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import type { ServiceSettings } from "../settings.js";
import { bindParams } from "./bind-params.js";
import { chosenUrgency } from "./priority.js";

/** The target of a submission. */
export interface Addressed {
  readonly definition: OperationDefinition;
  /** Texts of the path fields. */
  readonly params: PathParams;
}

/** Everything that the header fields of a submission say about it. */
export interface Announced {
  readonly format: Format;
  readonly replyFormat: Format;
  readonly key: string | undefined;
  /** Urgency that the client chooses. Default: that of the definition. */
  readonly urgency: number | undefined;
}

/**
 * Negotiates the formats, and reads the key and the urgency.
 *
 * Throws the first reason to refuse the request.
 */
export function readAnnounced(
  fields: RequestFields,
  formats: readonly Format[],
  definition: OperationDefinition,
): Announced {
  const format = requestFormat(single(fields, "content-type"), formats);
  refuseContentCoding(joined(fields["content-encoding"]));
  refuseTransferCoding(joined(fields["transfer-encoding"]));
  return {
    format,
    replyFormat: replyFormat(joined(fields.accept), formats),
    key: readKey(fields["idempotency-key"], definition),
    urgency: readPriority(joined(fields.priority), definition),
  };
}

/** Parses the body and adds the path fields (spec §2: syntax and contract are separate checks). */
export function readPayload(
  format: Format,
  bytes: Uint8Array,
  limits: ServiceSettings,
  { definition, params }: Addressed,
): ParsedBody | Promise<ParsedBody> {
  const { rootName: name, jsonSchema } = definition;
  if (params === NO_PARAMS) return parseBody(format, bytes, { limits, name, schema: jsonSchema });
  // With path fields, an empty XML element is an object, even without a schema.
  const parsing = parseBody(format, bytes, { limits, name, schema: jsonSchema ?? OBJECT });
  const bind = (parsed: ParsedBody): ParsedBody => bindParams(parsed, params, jsonSchema);
  return parsing instanceof Promise ? parsing.then(bind) : bind(parsing);
}

function parseBody(
  format: Format,
  bytes: Uint8Array,
  context: ParseContext,
): ParsedBody | Promise<ParsedBody> {
  if (format.parseWithTree !== undefined) return adoptPromise(format.parseWithTree(bytes, context));
  const parsing = adoptPromise(format.parse(bytes, context));
  return parsing instanceof Promise ? parsing.then(withoutTree) : withoutTree(parsing);
}

function withoutTree(value: unknown): ParsedBody {
  return { value, tree: undefined };
}

const OBJECT: JsonSchema = { type: "object" };

function readPriority(
  priority: string | undefined,
  { clientUrgency }: OperationDefinition,
): number | undefined {
  if (priority === undefined || clientUrgency === undefined) return undefined;
  return chosenUrgency(priority, clientUrgency);
}

function readKey(
  line: RequestFields["idempotency-key"],
  { idempotencyKey }: OperationDefinition,
): string | undefined {
  if (typeof line === "object") {
    throw new AsyncReplyError(
      "INVALID_IDEMPOTENCY_KEY",
      "The header field Idempotency-Key must not be repeated. Send it once.",
    );
  }
  if (line !== undefined) return parseIdempotencyKey(line);
  if (idempotencyKey === "optional") return undefined;
  throw new AsyncReplyError(
    "MISSING_IDEMPOTENCY_KEY",
    "The header field Idempotency-Key is missing. Send a random key, such as a UUID.",
  );
}

/**
 * Chooses the format that parses a body with this `Content-Type`. Never sniffs the body (RFC 9110 §8.3). Refuses any
 * `charset` other than UTF-8 (RFC 8259 §11). Ignores other parameters.
 *
 * Throws `UNSUPPORTED_MEDIA_TYPE`, with `Accept` for its reply (RFC 9110 §15.5.16).
 */
export function requestFormat(contentType: string | undefined, formats: readonly Format[]): Format {
  if (contentType === undefined) throw unsupported("The header field Content-Type is missing.", formats);
  const exact = formats.find(({ mediaTypes }) => mediaTypes[0] === contentType);
  if (exact !== undefined) return exact;
  const mediaType = parseMediaType(contentType);
  if (mediaType === undefined) throw unsupported("The header field Content-Type is malformed.", formats);
  const format = formats.find(({ mediaTypes }) => mediaTypes.includes(mediaType.type));
  if (format === undefined) throw unsupported("The media type in Content-Type is not supported.", formats);
  const charset = mediaType.parameters.get("charset") ?? "utf-8";
  if (charset.toLowerCase() !== "utf-8") throw unsupported("Only the charset utf-8 is supported.", formats);
  return format;
}

/**
 * Refuses a compressed body, because a small body may decompress to a huge one.
 *
 * Throws `UNSUPPORTED_CONTENT_CODING`, with `Accept-Encoding` for its reply (RFC 9110 §12.5.3).
 */
export function refuseContentCoding(contentEncoding: string | undefined): void {
  const coding = contentEncoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  const headers = { "accept-encoding": "identity" };
  const detail = "Content-Encoding is not supported. Send the body uncompressed.";
  throw new AsyncReplyError("UNSUPPORTED_CONTENT_CODING", detail, { headers });
}

/**
 * Refuses a transfer coding besides `chunked`. Servers of Node pass the body on as it was coded (RFC 9112 §6.1).
 *
 * Throws `UNSUPPORTED_CONTENT_CODING`.
 */
function refuseTransferCoding(transferEncoding: string | undefined): void {
  if (transferEncoding === undefined || /^\s*chunked\s*$/i.test(transferEncoding)) return;
  const detail = "Only the transfer coding `chunked` is supported. Send the body uncompressed.";
  throw new AsyncReplyError("UNSUPPORTED_CONTENT_CODING", detail);
}

function unsupported(reason: string, formats: readonly Format[]): AsyncReplyError {
  const accept = formats.map(({ mediaTypes }) => mediaTypes[0]).join(", ");
  const detail = `${reason} Supported: ${accept}.`;
  return new AsyncReplyError("UNSUPPORTED_MEDIA_TYPE", detail, { headers: { accept } });
}
