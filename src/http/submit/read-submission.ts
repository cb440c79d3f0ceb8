import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import type { PathParams } from "../../contract/definition/path-pattern.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { parseIdempotencyKey } from "../../contract/idempotency-key.js";
import { canonicalJson } from "../../contract/json/canonical-json.js";
import type { JsonText } from "../../contract/operation.js";
import { adoptPromise } from "../../contract/promises.js";
import { validate } from "../../contract/schema.js";
import type { Format, ParseContext, ParsedBody } from "../../formats/format.js";
import { treeText } from "../../formats/payload-tree.js";
import { fingerprint } from "../../submission/fingerprint.js";
import type { ServiceContext } from "../context.js";
import { fieldValue, header, singleHeader } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";
import { readBody } from "../message/read-body.js";
import { replyFormat } from "../negotiation/reply-format.js";
import { refuseContentCoding, refuseTransferCoding, requestFormat } from "../negotiation/request-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import type { ServiceSettings } from "../settings.js";
import { bindParams } from "./bind-params.js";

/** A submission that has passed every check and can be recorded. */
export interface ReadSubmission {
  readonly replyFormat: Format;
  readonly key: string | undefined;
  /** Canonical JSON of the parsed payload (RFC 8785). */
  readonly input: JsonText;
  readonly fingerprint: string;
  /** Untyped tree of the body, if its format needs the schema to parse it. */
  readonly tree: unknown;
  /** Output of the input schema. */
  readonly output: unknown;
}

/** The target of a request. */
interface Addressed {
  readonly definition: OperationDefinition;
  /** Texts of the path fields. */
  readonly params: PathParams;
}

/**
 * Negotiates formats, then reads, parses and validates the body (spec §2: syntax and contract are separate checks).
 *
 * Throws the first reason to refuse the request.
 */
export async function readSubmission(
  service: ServiceContext,
  request: HttpRequest,
  { definition, params }: Addressed,
): Promise<ReadSubmission> {
  const { formats, settings, runtime } = service;
  const { headers } = request;
  const format = requestFormat(singleHeader(headers, "content-type"), formats);
  refuseContentCoding(header(headers, "content-encoding"));
  refuseTransferCoding(header(headers, "transfer-encoding"));
  const chosenFormat = replyFormat(header(headers, "accept"), formats);
  const key = readKey(request, definition);
  const body = readBody(request, settings, runtime.clock);
  const bytes = body instanceof Promise ? await body : body;
  const payload = readPayload(format, bytes, settings, { definition, params });
  const { value, tree } = payload instanceof Promise ? await payload : payload;
  const validated = validate(definition.input, value);
  const output = validated instanceof Promise ? await validated : validated;
  const input = canonicalJson(value);
  const named =
    tree === undefined
      ? fingerprint(input, runtime.hash)
      : fingerprint(treeText(tree, definition.rootName), runtime.hash, format.mediaTypes[0]);
  return {
    replyFormat: chosenFormat,
    key,
    input,
    fingerprint: typeof named === "string" ? named : await named,
    tree,
    output,
  };
}

/** Parses the body and adds the path fields. */
function readPayload(
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

function readKey({ headers }: HttpRequest, definition: OperationDefinition): string | undefined {
  const line = fieldValue(headers, "idempotency-key");
  if (typeof line === "object") {
    throw new AsyncReplyError(
      "INVALID_IDEMPOTENCY_KEY",
      "The header field Idempotency-Key must not be repeated. Send it once.",
    );
  }
  if (line !== undefined) return parseIdempotencyKey(line);
  if (definition.idempotencyKey === "optional") return undefined;
  throw new AsyncReplyError(
    "MISSING_IDEMPOTENCY_KEY",
    "The header field Idempotency-Key is missing. Send a random key, such as a UUID.",
  );
}
