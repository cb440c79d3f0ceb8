/** Header fields of a platform that has joined repeated lines already, as `Headers` of the Fetch API. */
export interface JoinedFields {
  /** The value of a field by its name in any case, several lines joined by `, `; null where there is none. */
  get(name: string): string | null;
}

/**
 * Header fields in any of the forms that platforms have: pairs, an object, a flat list as Node's `rawHeaders`, or
 * something to ask as `Headers`.
 */
export type HeaderFields =
  | readonly (readonly [name: string, value: string])[]
  | readonly string[]
  | JoinedFields
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the whole body, once, when asked. Throws AsyncReplyError `BODY_TOO_LARGE` as soon as there are more than
 * `maxBytes`, `BODY_ABORTED` when the client goes away, and `BODY_ALREADY_READ` when somebody else was first.
 */
export type BodyReader = (maxBytes: number) => Uint8Array | Promise<Uint8Array>;

/** A request as plain data. Nothing of the body is read before the request is authorized and negotiated. */
export interface HttpRequest {
  /** As it was sent: methods are in upper case (RFC 9110 §9.1). */
  readonly method: string;
  /** The path of the request target; a query is ignored. */
  readonly path: string;
  /** Repeated fields must come in as such: a repeated `Idempotency-Key` is refused, not guessed at. */
  readonly headers: HeaderFields;
  /** Set if the platform may have left out fields, as Node does. The request is then refused with 431. Default: false. */
  readonly headersTruncated?: boolean;
  /** The bytes as they were sent, whole, in pieces, or to be asked for. A text stands for its UTF-8. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | BodyReader | undefined;
}

/** A response as plain data. Header names are in lower case. */
export interface HttpResponse {
  /** From 200 to 503. */
  readonly status: number;
  /** One value for each name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Absent where there is no content: 204, 304, and replies to `HEAD`. A stream is read as fast as the client takes it, and is
   * released when the client goes away: by `return` of the iterator, or by `cancel`.
   */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
}

/** What the platform lends to one request. */
export interface RequestContext {
  /** Keeps an edge runtime alive for work that goes on after the reply. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** Aborted when the client goes away before the reply is complete. */
  readonly signal?: AbortSignal;
}
