import { unchecked } from "../contract/option-values.js";
import { invalidOption, isObject, type OptionTable, readOptions } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";
import { contextOf } from "../service/check-service.js";
import type { Service } from "../service/service.js";
import type { OpenApiDocument, OpenApiInfo, OpenApiServer } from "./document.js";
import { createDraft } from "./draft.js";
import { describeOutput, hasOutputs } from "./paths/output-path.js";
import { describeList, describeStatus, STATUS_TAG } from "./paths/status-path.js";
import { submissionPath } from "./paths/submission-path.js";
import { endedWebhook } from "./paths/webhooks.js";
import { describeSecurity, type SecurityOptions, type SecuritySettings } from "./security.js";

/** Options of {@link createOpenApiDocument}. Only `info` is required. */
export interface OpenApiOptions extends SecurityOptions {
  /** Title, version and description of your API. `title` and `version` are required. */
  readonly info: OpenApiInfo;
  /** Servers of the API, without `basePath`, which is part of the paths. Default: the origin of the document. */
  readonly servers?: readonly OpenApiServer[];
}

/** {@link OpenApiOptions} with their defaults. */
export type OpenApiSettings = Required<Pick<OpenApiOptions, "info" | "servers">> & SecuritySettings;

/** How the options of a document are read. */
export const OPENAPI_OPTIONS: OptionTable<OpenApiSettings> = {
  info: readInfo,
  servers: (value = [{ url: "/" }]) => value as readonly OpenApiServer[],
  securitySchemes: unchecked(),
  security: unchecked(),
};

/**
 * Creates the OpenAPI 3.1 document of a service, with its paths and every possible reply. The document depends only
 * on the definitions and options. Each call returns a new object. If the service has no `authorize`, pass
 * `securitySchemes`.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createOpenApiDocument(service: Service, options: OpenApiOptions): OpenApiDocument {
  const context = contextOf(service, "createOpenApiDocument");
  return describeService(
    context,
    readOptions<OpenApiSettings>(options, OPENAPI_OPTIONS, "createOpenApiDocument"),
  );
}

/** Creates the document from options that were read. */
export function describeService(
  context: ServiceContext,
  { info, servers, ...security }: OpenApiSettings,
): OpenApiDocument {
  const draft = createDraft(context);
  const { definitions, settings } = draft;
  const { basePath, statusPath } = settings;
  const { schemes, requirements } = describeSecurity(settings.authorize, security);
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info,
    servers,
    security: requirements,
    tags: [
      ...definitions.map(({ name }) => ({ name, description: `Operations of the definition \`${name}\`.` })),
      { name: STATUS_TAG, description: "Status of the operations of all definitions." },
    ],
    paths: {
      ...Object.fromEntries(
        draft.named.map((each) => [basePath + each.definition.path, submissionPath(draft, each)]),
      ),
      ...(settings.list ? { [basePath + statusPath]: describeList(draft) } : {}),
      [`${basePath}${statusPath}/{operationId}`]: describeStatus(draft),
      ...(hasOutputs(draft)
        ? { [`${basePath}${statusPath}/{operationId}/output`]: describeOutput(draft) }
        : {}),
    },
    ...(draft.webhooks === undefined ? {} : { webhooks: { operationEnded: endedWebhook(draft) } }),
    // Last, because everything above adds components.
    components: {
      ...draft.added(),
      ...(Object.keys(schemes).length === 0 ? {} : { securitySchemes: schemes }),
    },
  };
  // A deep copy, so the document shares no objects with the options, a definition or another document.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

function readInfo(info: unknown, name: string): OpenApiInfo {
  if (!isObject(info)) throw invalidOption(name, '`{ title: "Orders", version: "1.0.0" }`', info);
  for (const member of ["title", "version"]) {
    const value: unknown = Reflect.get(info, member);
    if (typeof value !== "string" || value === "")
      throw invalidOption(`${name}.${member}`, "a string that is not empty", value);
  }
  return info as OpenApiInfo;
}
