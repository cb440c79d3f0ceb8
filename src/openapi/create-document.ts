import { checkOptions, invalidOption, isObject, type OptionNames } from "../contract/options.js";
import { contextOf } from "../service/check-service.js";
import type { Service } from "../service/service.js";
import { createComponents, nameDefinitions } from "./components.js";
import type { OpenApiDocument, OpenApiInfo, OpenApiServer } from "./document.js";
import { listPath, STATUS_TAG, statusPath } from "./paths/status-path.js";
import { submissionPath } from "./paths/submission-path.js";
import { endedWebhook } from "./paths/webhooks.js";
import { resultSchema } from "./schemas/payload-schemas.js";
import { describeSecurity, type SecurityOptions } from "./security.js";

/** Options of {@link createOpenApiDocument}. Only `info` is required. */
export interface OpenApiOptions extends SecurityOptions {
  /** Title, version and description of your API. `title` and `version` are required. */
  readonly info: OpenApiInfo;
  /** Servers of the API, without `basePath`, which is part of the paths. Default: the origin of the document. */
  readonly servers?: readonly OpenApiServer[];
}

const OPTIONS: OptionNames<OpenApiOptions> = {
  info: true,
  servers: true,
  securitySchemes: true,
  security: true,
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
  checkOptions(options, OPTIONS, "createOpenApiDocument");
  const { info, servers = [{ url: "/" }] } = options;
  if (!isObject(info)) throw invalidOption("info", '`{ title: "Orders", version: "1.0.0" }`', info);
  for (const member of ["title", "version"] as const) {
    const value: unknown = info?.[member];
    if (typeof value !== "string" || value === "")
      throw invalidOption(`info.${member}`, "a string that is not empty", value);
  }
  const { definitions, settings } = context;
  const { schemes, requirements } = describeSecurity(settings.authorize, options);
  const components = createComponents(settings.problemBaseUri);
  const named = nameDefinitions(definitions);
  const result = resultSchema(components, named);
  const submissions = named.map((each) => {
    const path = settings.basePath + each.definition.path;
    return [path, submissionPath(context, components, each, result)] as const;
  });
  const status = statusPath(context, components, result);
  const announced =
    context.webhooks === undefined ? {} : { webhooks: { operationEnded: endedWebhook(components) } };
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
      ...Object.fromEntries(submissions),
      ...(settings.list ? { [settings.basePath + settings.statusPath]: listPath(context, components) } : {}),
      [`${settings.basePath}${settings.statusPath}/{operationId}`]: status,
    },
    ...announced,
    components: {
      ...components.added(),
      ...(Object.keys(schemes).length === 0 ? {} : { securitySchemes: schemes }),
    },
  };
  // A deep copy, so the document shares no objects with the options, a definition or another document.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}
