import type { JsonSchema } from "../contract/definition/definition.js";
import type { SecurityScheme } from "../ports/authorize.js";

// The part of the OpenAPI Specification 3.1 that the document of a service uses. Names and meanings follow it.

/** An OpenAPI 3.1 document: plain data, ready for `JSON.stringify`. */
export interface OpenApiDocument {
  /** Version of the OpenAPI Specification. */
  readonly openapi: string;
  /** Title, version and description of the API, from the options. */
  readonly info: OpenApiInfo;
  /** Servers of the API. At least one. */
  readonly servers: readonly OpenApiServer[];
  /** Alternative security requirements. A request meets one of them. Empty if the service allows every request. */
  readonly security: readonly SecurityRequirement[];
  /** One for each definition, and one for the status endpoint. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Methods by path. Names in braces are parameters. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** Requests that the service sends to receivers, by name. Absent if it sends none. */
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  /** Targets of references, by name. */
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

/** Information about the API as a whole. */
export interface OpenApiInfo {
  /** Name of your API. */
  readonly title: string;
  /** Version of your API, not of this package. */
  readonly version: string;
  /** Short summary: one sentence. Default: none. */
  readonly summary?: string;
  /** Long description in CommonMark. Default: none. */
  readonly description?: string;
  /** URL of the terms of service. Default: none. */
  readonly termsOfService?: string;
  /** Contact for questions. Default: none. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** License of the API. Pass an SPDX `identifier` or a `url`, not both. Default: none. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** A server of the API. */
export interface OpenApiServer {
  /** URL of the server: absolute, or relative to the URL of the document. */
  readonly url: string;
  /** Purpose of the server, such as `Production`. Default: none. */
  readonly description?: string;
}

/** Security schemes by name, with the required scopes. A request must satisfy all of them. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The methods of one path. */
export interface PathItem {
  /** Parameters of all methods of this path. */
  readonly parameters?: readonly OpenApiParameter[];
  /** Reads an operation, or lists operations. */
  readonly get?: PathOperation;
  /** Submits work. */
  readonly post?: PathOperation;
  /** Cancels an operation. */
  readonly delete?: PathOperation;
}

/** A method of a path. */
export interface PathOperation {
  /** Unique name. Code generators use it for functions. */
  readonly operationId: string;
  /** Tags of the document that it belongs to. */
  readonly tags: readonly string[];
  /** Short summary: a few words. */
  readonly summary: string;
  /** Description in CommonMark: a few sentences. */
  readonly description: string;
  /** Whether clients should stop using it. Default: false. */
  readonly deprecated?: boolean;
  /** Parameters of a request, without `Accept`, `Content-Type` and `Authorization`. */
  readonly parameters?: readonly OpenApiParameter[];
  /** Body of a request. Absent if it has no body. */
  readonly requestBody?: OpenApiRequestBody;
  /** Security requirements of this method. Default: those of the document. */
  readonly security?: readonly SecurityRequirement[];
  /** Responses by status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

/** The body of a request. */
export interface OpenApiRequestBody {
  /** Limits that the service applies. */
  readonly description: string;
  /** Whether the body is required. */
  readonly required: boolean;
  /** Schemas by supported media type. */
  readonly content: OpenApiContent;
}

/** A parameter of a request: a header field, a path field or a query parameter. */
export interface OpenApiParameter {
  /** Name of the parameter. */
  readonly name: string;
  /** Location of the parameter. */
  readonly in: "header" | "path" | "query";
  /** Purpose of the parameter. */
  readonly description: string;
  /** Whether the parameter is required. */
  readonly required: boolean;
  /** Schema of the value. */
  readonly schema: JsonSchema;
}

/** The responses with one status. */
export interface OpenApiResponse {
  /** Meaning of the response. */
  readonly description: string;
  /** Header fields by name, without `Content-Type`. */
  readonly headers: Readonly<Record<string, Reference | OpenApiHeader>>;
  /** Schemas by media type. Absent if the response has no body. */
  readonly content?: OpenApiContent;
  /** Possible next requests, by name. */
  readonly links?: Readonly<Record<string, OpenApiLink>>;
}

/** A header field of a response. */
export interface OpenApiHeader {
  /** Meaning of the header field. */
  readonly description: string;
  /** Whether every such response has this header field. */
  readonly required: boolean;
  /** Schema of the value. */
  readonly schema: JsonSchema;
}

/** Schemas of a body by media type. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** A request that follows from a response. */
export interface OpenApiLink {
  /** `operationId` of the method to call. */
  readonly operationId: string;
  /** Values of its parameters, as runtime expressions on the response. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Purpose of the request. */
  readonly description: string;
}

/** A reference to a component of the document. It can be used as a schema. */
export type Reference = {
  /** JSON Pointer in URI fragment form, such as `#/components/schemas/Operation`. */
  readonly $ref: string;
};
