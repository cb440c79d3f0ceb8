/** What an authorize hook sees: never the body, which has not been read yet. */
export interface AuthorizationRequest {
  readonly method: string;
  readonly path: string;
  /** The value of a header field by its lower-case name; repeated lines are joined by `, ` (RFC 9110 §5.2). */
  header(name: string): string | undefined;
}

export interface Authorization {
  readonly action: "submit" | "read" | "cancel";
  /** The name of the definition that is submitted to; absent on `read` and `cancel`. */
  readonly definition?: string;
}

/** On whose behalf a request is made. */
export interface Principal {
  readonly id: string;
  /** Operations and keys belong to the scope: a tenant. By default the id. It is stored, so it must be no credential. */
  readonly scope?: string;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Decides before a byte of the body is read (spec §5). Returning nothing is a 401; so is throwing, except for
 * `forbidden()`; not answering within the time limit is a 503. Whatever it is, nothing has been recorded.
 */
export interface Authorize {
  (request: AuthorizationRequest, authorization: Authorization): MaybePromise<Principal | undefined | null>;
  /** The `WWW-Authenticate` value of a 401 (RFC 9110 §11.6.1). By default `Bearer`. */
  readonly challenge?: string;
}
