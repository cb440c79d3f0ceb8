/** Header fields of a platform that joins repeated lines, such as `Headers` of the Fetch API. */
export interface JoinedFields {
  /** Returns the value of a field, or null if it is absent. Ignores case. Joins repeated lines with commas. */
  get(name: string): string | null;
}

/**
 * Header fields in any form that platforms use: pairs, an object, a flat list such as `rawHeaders` of Node, or an
 * object with a `get` method such as `Headers`.
 */
export type HeaderFields =
  | readonly (readonly [name: string, value: string])[]
  | readonly string[]
  | JoinedFields
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the whole body. It is called at most once, after the request is authorized. Throws AsyncReplyError
 * `BODY_TOO_LARGE` as soon as more than `maxBytes` arrive, `BODY_ABORTED` if the client disconnects, and
 * `BODY_ALREADY_READ` if other code has read the body.
 */
export type BodyReader = (maxBytes: number) => Uint8Array | PromiseLike<Uint8Array>;

/** A request as plain data. Nothing of the body is read before the request is authorized and negotiated. */
export interface HttpRequest {
  /** Method as sent. Case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Path of the request target, percent-encoded as sent. May include a query. */
  readonly path: string;
  /** Header fields. Do not merge repeated fields: a repeated `Idempotency-Key` must be refused. */
  readonly headers: HeaderFields;
  /** Whether the platform may have dropped header fields, as Node does. The reply is then 431. Default: false. */
  readonly headersTruncated?: boolean;
  /**
   * Bytes of the body: whole, as chunks, or from a {@link BodyReader}. A string stands for its UTF-8. Default: empty.
   */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | BodyReader | undefined;
}

/** A response as plain data. */
export interface HttpResponse {
  /** Status code, from 200 to 503. */
  readonly status: number;
  /** Header fields by name in lower case. Each has one value. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Body of the response. Absent for 204, 304 and replies to `HEAD`. The adapter reads a stream as fast as the client
   * receives it. If the client disconnects, the adapter calls `return` of the iterator, or `cancel` of the stream.
   */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
}

/** Features of the platform for one request. */
export interface RequestContext {
  /** Keeps an edge runtime alive until this work has settled, even after the reply. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** Aborted if the client disconnects before the reply is complete. */
  readonly signal?: AbortSignal;
}
