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
  /**
   * `submit` is a `POST`, `read` a `GET` or `HEAD` of the status endpoint, `cancel` its `DELETE`, and `list` a `GET` or `HEAD`
   * of the list of operations.
   */
  readonly action: "submit" | "read" | "cancel" | "list";
  /** The name of the definition that is submitted to. Only present on `submit`. */
  readonly definition?: string;
  /** Texts of the path fields by name, percent-decoded. Empty for a path without fields, and for every other action than `submit`. */
  readonly params: Readonly<Record<string, string>>;
}

/** On whose behalf a request is made. */
export interface Principal {
  /** Names the caller. At least 1 character. */
  readonly id: string;
  /**
   * The tenant that operations and keys belong to: 1 to 255 UTF-16 code units, well formed and without NUL. It is stored, so
   * it must not be a credential. Default: the id.
   */
  readonly tenant?: string;
}

/** How callers show who they are: a Security Scheme Object of OpenAPI. */
export type SecurityScheme = (
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, unknown>> }
  | { readonly type: "mutualTLS" }
) & { readonly description?: string };

/**
 * Decides before a byte of the body is read (spec §5). Returning nothing and throwing `unauthenticated()` are a 401,
 * throwing `forbidden()` is a 403. Any other error, a malformed principal and a timeout are a 503: they say nothing about
 * the credentials. In all of these cases nothing is recorded.
 */
export interface Authorize {
  (
    request: AuthorizationRequest,
    authorization: Authorization,
  ): Principal | undefined | null | PromiseLike<Principal | undefined | null>;
  /** The `WWW-Authenticate` value of a 401 (RFC 9110 §11.6.1). By default `Bearer`. */
  readonly challenge?: string;
  /** What documents about the service say of it; `none` where it lets everybody in. By default what `challenge` names. */
  readonly scheme?: SecurityScheme | "none";
}
