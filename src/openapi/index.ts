/**
 * Creates and serves the OpenAPI document of a service. Runs on every platform.
 *
 * @module async-request-reply/openapi
 */

export type { DescribedService } from "./components.js";
export { createOpenApiDocument, type OpenApiOptions } from "./create-document.js";
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiLink,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiServer,
  PathItem,
  PathOperation,
  Reference,
  SecurityRequirement,
} from "./document.js";
export type { SecurityOptions } from "./security.js";
export { type WithOpenApiOptions, withOpenApi } from "./with-openapi.js";
