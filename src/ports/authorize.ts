/** The request as an authorize hook sees it. It has no body, because the body has not been read yet. */
export interface AuthorizationRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The request target as it was sent, including `basePath` and the query. */
  readonly path: string;
  /** Returns the value of a header field by its lowercase name. Repeated lines are joined by `, ` (RFC 9110 §5.2). */
  header(name: string): string | undefined;
}

/** The action to authorize. */
export interface Authorization {
  /**
   * `submit` is a `POST`. `read` is a `GET` or `HEAD` of the status endpoint, and `cancel` is its `DELETE`. `list` is
   * a `GET` or `HEAD` of the list of operations.
   */
  readonly action: "submit" | "read" | "cancel" | "list";
  /** Name of the definition that receives the submission. Only present on `submit`. */
  readonly definition?: string;
  /**
   * Values of the path fields by name, percent-decoded. Empty if the path has no fields, and for all actions but
   * `submit`.
   */
  readonly params: Readonly<Record<string, string>>;
}

/** The caller on whose behalf a request is made. */
export interface Principal {
  /**
   * Identifies the caller: 1 to 255 UTF-16 code units, well-formed and without NUL. It is stored with each operation
   * that the caller submits, so it must not be a credential.
   */
  readonly id: string;
  /**
   * Tenant that owns the caller's operations and keys: 1 to 255 UTF-16 code units, well-formed and without NUL. It is
   * stored, so it must not be a credential. Default: the id.
   */
  readonly tenant?: string;
}

/** How callers authenticate: a Security Scheme Object of OpenAPI. */
export type SecurityScheme = (
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, unknown>> }
  | { readonly type: "mutualTLS" }
) & { readonly description?: string };

/**
 * Authorizes a request before any of its body is read (spec §5). If it returns nothing or throws `unauthenticated()`,
 * the reply is a 401; if it throws `forbidden()`, a 403. Any other error, a malformed principal and a timeout are a
 * 503, because they say nothing about the credentials. In all of these cases nothing is recorded.
 */
export interface Authorize {
  (
    request: AuthorizationRequest,
    authorization: Authorization,
  ): Principal | undefined | null | PromiseLike<Principal | undefined | null>;
  /** Value of `WWW-Authenticate` in a 401 (RFC 9110 §11.6.1). Default: `Bearer`. */
  readonly challenge?: string;
  /**
   * Security scheme in the service's OpenAPI document, or `none` if every caller is let in. Default: the scheme in
   * `challenge`.
   */
  readonly scheme?: SecurityScheme | "none";
}
