/** What an authorize hook sees: never the body, which has not been read yet. */
export interface AuthorizationRequest {
  /** As it was sent. */
  readonly method: string;
  /** The request target as it was sent: with `basePath`, and with a query if there is one. */
  readonly path: string;
  /** The value of a header field by its lower-case name; repeated lines are joined by `, ` (RFC 9110 §5.2). */
  header(name: string): string | undefined;
}

/** What is to be authorized. */
export interface Authorization {
  /** `submit` is a `POST`, `read` a `GET` or `HEAD` of the status endpoint, `cancel` its `DELETE`. */
  readonly action: "submit" | "read" | "cancel";
  /** The name of the definition that is submitted to; absent on `read` and `cancel`. */
  readonly definition?: string;
}

/** On whose behalf a request is made. */
export interface Principal {
  /** Names the caller. An empty one is none. */
  readonly id: string;
  /** Operations and keys belong to the scope: a tenant. By default the id. It is stored, so it must be no credential. */
  readonly scope?: string;
}

/** How callers show who they are: a Security Scheme Object of OpenAPI. */
export type SecurityScheme = (
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, unknown>> }
  | { readonly type: "mutualTLS" }
) & { readonly description?: string };

type MaybePromise<T> = T | Promise<T>;

/**
 * Decides before a byte of the body is read (spec §5). Returning nothing is a 401; so is throwing, except for
 * `forbidden()`; not answering within the time limit is a 503. Whatever it is, nothing has been recorded.
 */
export interface Authorize {
  (request: AuthorizationRequest, authorization: Authorization): MaybePromise<Principal | undefined | null>;
  /** The `WWW-Authenticate` value of a 401 (RFC 9110 §11.6.1). By default `Bearer`. */
  readonly challenge?: string;
  /** What documents about the service say of it; `none` where it lets everybody in. By default what `challenge` names. */
  readonly scheme?: SecurityScheme | "none";
}
