import type { JsonSchema } from "../contract/definition.js";
import type { SecurityScheme } from "../ports/authorize.js";

// What of the OpenAPI Specification 3.1 a document of a service uses. Names and meanings are the specification's.

/** An OpenAPI 3.1 document: plain data, ready for `JSON.stringify`. */
export interface OpenApiDocument {
  /** The version of the specification. */
  readonly openapi: string;
  /** As the options gave it. */
  readonly info: OpenApiInfo;
  /** At least one. */
  readonly servers: readonly OpenApiServer[];
  /** Any one of these is enough. Empty where everybody is let in. */
  readonly security: readonly SecurityRequirement[];
  /** One for each definition, and one for the status endpoint. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path; what is in braces stands for a parameter. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** What references lead to. */
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

/** What a document says of the whole. */
export interface OpenApiInfo {
  /** The name of your service. */
  readonly title: string;
  /** The version of your service, not that of this package. */
  readonly version: string;
  /** One sentence. */
  readonly summary?: string;
  /** As much as there is to say, in CommonMark. */
  readonly description?: string;
  /** An address. */
  readonly termsOfService?: string;
  /** Who to ask. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** Under which terms the service is offered. `identifier` is of SPDX, and excludes `url`. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** Where a service can be reached. */
export interface OpenApiServer {
  /** Absolute, or relative to where the document stands. */
  readonly url: string;
  /** What it is for. */
  readonly description?: string;
}

/** Names of security schemes, all of which a request needs, each with the scopes that it must have. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The operations of one path. */
export interface PathItem {
  /** What the path itself holds. */
  readonly parameters?: readonly OpenApiParameter[];
  /** Reads. */
  readonly get?: PathOperation;
  /** Submits. */
  readonly post?: PathOperation;
  /** Cancels. */
  readonly delete?: PathOperation;
}

/** A method of a path. */
export interface PathOperation {
  /** What generators call it. */
  readonly operationId: string;
  /** What it belongs to: one of the document's tags. */
  readonly tags: readonly string[];
  /** A few words. */
  readonly summary: string;
  /** A few sentences, in CommonMark. */
  readonly description: string;
  /** Whether clients should leave it. */
  readonly deprecated?: boolean;
  /** What of a request is neither body nor `Accept`, `Content-Type` and `Authorization`. */
  readonly parameters?: readonly OpenApiParameter[];
  /** Absent where there is none. */
  readonly requestBody?: OpenApiRequestBody;
  /** By status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

/** What a body of a request must be. */
export interface OpenApiRequestBody {
  /** The limits of the service. */
  readonly description: string;
  /** Whether it must be there. */
  readonly required: boolean;
  /** In each media type that is read. */
  readonly content: OpenApiContent;
}

/** A header field of requests, a parameter of the query, or a part of a path. */
export interface OpenApiParameter {
  /** As it is written in requests or paths. */
  readonly name: string;
  /** Where it stands. */
  readonly in: "header" | "path" | "query";
  /** What it is for. */
  readonly description: string;
  /** Whether it must be there. */
  readonly required: boolean;
  /** What it holds. */
  readonly schema: JsonSchema;
}

/** What replies of one status are like. */
export interface OpenApiResponse {
  /** What happened. */
  readonly description: string;
  /** The fields by name, but for `Content-Type`. */
  readonly headers: Readonly<Record<string, Reference | OpenApiHeader>>;
  /** In each media type that is written. Absent where there is no body. */
  readonly content?: OpenApiContent;
  /** What can be done next, by name. */
  readonly links?: Readonly<Record<string, OpenApiLink>>;
}

/** A header field of replies. */
export interface OpenApiHeader {
  /** What it says. */
  readonly description: string;
  /** Whether every such reply has it. */
  readonly required: boolean;
  /** What it holds. */
  readonly schema: JsonSchema;
}

/** Bodies by media type. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** An operation that makes use of a reply. */
export interface OpenApiLink {
  /** That of the operation. */
  readonly operationId: string;
  /** The values of its parameters, as expressions about the reply. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What it does. */
  readonly description: string;
}

/** Stands for a component of the document. Where a schema is expected it is one. */
export type Reference = {
  /** A JSON Pointer in URI fragment form, such as `#/components/schemas/Operation`. */
  readonly $ref: string;
};
