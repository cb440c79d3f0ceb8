import type { OperationDefinition } from "../contract/definition/definition.js";
import { flag, text } from "../contract/option-values.js";
import { invalidOption, type OptionTable, readOptions } from "../contract/options.js";
import { jsonFormat } from "../formats/json.js";
import { admitRequest } from "../http/access/admit-request.js";
import type { ServiceContext } from "../http/context.js";
import { answer, refuse } from "../http/handle.js";
import { header } from "../http/message/headers.js";
import type { HttpRequest, HttpResponse } from "../http/message/message.js";
import { methodNotAllowed } from "../http/message/refusals.js";
import { emptyReply, entityTag, type Fields, matches, notModified, reply } from "../http/message/reply.js";
import { replyFormat } from "../http/negotiation/reply-format.js";
import type { Requested } from "../http/refused.js";
import { NO_PARAMS, pathOf } from "../http/routing/route-table.js";
import { contextOf } from "../service/check-service.js";
import type { Service } from "../service/service.js";
import {
  describeService,
  OPENAPI_OPTIONS,
  type OpenApiOptions,
  type OpenApiSettings,
} from "./create-document.js";

/** Options of {@link withOpenApi}. Only `info` is required. */
export interface WithOpenApiOptions extends OpenApiOptions {
  /** Path of the document, after `basePath` of the service. Default: `/openapi.json`. */
  readonly path?: string;
  /** Whether `authorize` and `admit` are called for the document too. Default: false; the document is public. */
  readonly authorize?: boolean;
}

type Settings = OpenApiSettings & Required<Pick<WithOpenApiOptions, "path" | "authorize">>;

/**
 * Returns a service that also serves its OpenAPI document, to `GET` and `HEAD`. Other requests are unchanged. A service
 * without `authorize` refuses requests for the document too.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function withOpenApi<Definitions extends readonly OperationDefinition[], Tx>(
  service: Service<Definitions, Tx>,
  options: WithOpenApiOptions,
): Service<Definitions, Tx> {
  const context = contextOf(service, "withOpenApi");
  const table: OptionTable<Settings> = {
    ...OPENAPI_OPTIONS,
    path: (given, name) => readPath(context, given, name),
    authorize: flag(false),
  };
  const { path: own, authorize, ...described } = readOptions<Settings>(options, table, "withOpenApi");
  const document = { path: own };
  const path = context.settings.basePath + document.path;
  // Without `authorize`, the service refuses requests for its document too.
  const read = context.settings.authorize && createReader(context, { authorize, described }, document);
  return {
    ...service,
    hasPath: (other) => pathOf({ path: other }) === path || service.hasPath(other),
    handle: (request, platform) =>
      read !== undefined && pathOf(request) === path
        ? handleDocument(context, request, document, read)
        : service.handle(request, platform),
  };
}

type Reader = (request: HttpRequest) => Promise<HttpResponse>;

async function handleDocument(
  service: ServiceContext,
  request: HttpRequest,
  requested: Requested,
  read: Reader,
): Promise<HttpResponse> {
  const allow = "GET, HEAD, OPTIONS";
  switch (request.method) {
    case "GET":
      return read(request);
    case "HEAD": {
      const { status, headers } = await read(request);
      return emptyReply(status, headers);
    }
    case "OPTIONS":
      return emptyReply(204, { allow });
    default:
      return refuse(service, request, requested, methodNotAllowed(allow));
  }
}

/** Creates the handler for the document. Serializes the document once, because a service never changes. */
function createReader(
  context: ServiceContext,
  { authorize, described }: { readonly authorize: boolean; readonly described: OpenApiSettings },
  requested: Requested,
): Reader {
  const document = describeService(context, described);
  const write = async (): Promise<HttpResponse> => {
    const fields: Fields = { "cache-control": authorize ? "private, no-cache" : "no-cache" };
    const full = reply(
      jsonFormat,
      { status: 200, kind: "resource", name: "openapi", value: document },
      fields,
    );
    fields.etag = await entityTag(full, context.runtime.hash);
    return full;
  };
  let written: Promise<HttpResponse> | undefined;
  return (request) =>
    answer(context, request, requested, async () => {
      if (authorize) await admitRequest(context, request, { action: "read", params: NO_PARAMS });
      replyFormat(header(request.headers, "accept"), [jsonFormat]);
      written ??= write();
      const full = await written;
      const { etag = "" } = full.headers;
      return matches(header(request.headers, "if-none-match"), etag) ? notModified(full) : full;
    });
}

const PATH = /^(\/[A-Za-z0-9._~-]+)+$/;
const EXPECTED_PATH = "an unused path, such as `/openapi.json`";

function readPath({ definitions, settings }: ServiceContext, given: unknown, name: string): string {
  const path = text(PATH, EXPECTED_PATH, "/openapi.json")(given, name);
  const isFree =
    path !== settings.statusPath &&
    !path.startsWith(`${settings.statusPath}/`) &&
    !definitions.some((definition) => definition.path === path);
  if (isFree) return path;
  throw invalidOption(name, EXPECTED_PATH, path);
}
