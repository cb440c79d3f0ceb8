import type { Service } from "../../../http/context.js";
import type { Backend } from "../../../ports/backend.js";
import type { Clock } from "../../../ports/runtime.js";

/** A request as sent over the wire. */
export interface WireRequest {
  /** Sent unchanged. */
  readonly method: string;
  /** Request target. Sent unchanged. */
  readonly path: string;
  /** Header lines. Each entry is sent unchanged as one line. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body. Text and bytes are sent with a `Content-Length`, unless `headers` already has one. */
  readonly body?: string | Uint8Array | Upload;
}

/** A body that is sent piece by piece: chunked, unless `headers` has a `Content-Length`. */
export interface Upload {
  /** Sent one after the other, each in a separate write. */
  readonly chunks: readonly (string | Uint8Array)[];
  /**
   * End of the upload. `finish` ends the body, `stall` sends nothing more while waiting for the reply, and
   * `abort` closes the connection, after which `send` may reject. Default: `finish`.
   */
  readonly end?: "finish" | "stall" | "abort";
}

/** A reply as received over the wire. The body is decoded as UTF-8. */
export interface WireResponse {
  /** Status code of the status line. */
  readonly status: number;
  /** Header lines, with names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body text. Empty if the reply has no body. */
  readonly body: string;
}

/** One connection that carries a sequence of requests. */
export interface WireConnection {
  /** Sends a request without waiting for the reply. */
  write(request: WireRequest): Promise<void>;
  /** Resolves to the next reply. Rejects if the connection ends before the reply is complete. */
  read(): Promise<WireResponse>;
  /** Reads the bytes of a reply up to this text. Rejects like `read`. */
  readUntil(text: string): Promise<unknown>;
  /** Breaks the connection, like a client that goes away. */
  abort(): void;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** A service behind the adapter under test. */
export interface Mounted {
  /** Sends one request on a new connection. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Opens a connection. Present if the transport is a socket. */
  open?(): Promise<WireConnection>;
}

/** Abilities of a transport. A case that needs a missing one is skipped by name. */
export interface AdapterCapabilities {
  /** `open` opens connections. */
  readonly sockets: boolean;
  /** Repeated header lines stay separate. A Fetch API `Request` joins them before any code can see them. */
  readonly fieldLines: boolean;
  /** Requests with more than 1,000 header fields reach the adapter in a form that shows their number. */
  readonly manyFields?: boolean;
  /** `mount` calls `handle` of the service it receives, so that a case can replace it, and sends streams. */
  readonly streams?: boolean;
  /**
   * `mount` accepts adapter options. Requests that `fallthrough` leaves to the application get a 200 with the text
   * `the application: ` followed by their bodies.
   */
  readonly fallthrough?: boolean;
}

/** Connects the cases to the adapter under test. */
export interface AdapterHarness {
  /** Abilities of the transport behind `mount`. */
  readonly capabilities: AdapterCapabilities;
  /** Creates an empty back end, with or without atomic submissions, so that a test can run the cases in both modes. */
  createBackend(options?: { readonly clock?: Clock }): Backend;
  /** Mounts a service until the case has ended. */
  mount(service: Service, options?: { readonly fallthrough: boolean }): Promise<Mounted>;
}

/** One promise of the HTTP contract, with a check that an adapter keeps it. */
export interface AdapterCase {
  /** Sentence about behavior, for use as a test name. */
  readonly name: string;
  /** Source of the promise. */
  readonly rule: string;
  /** Abilities that the transport must have. */
  readonly needs?: readonly (keyof AdapterCapabilities)[];
  /** Rejects if the promise is not kept. */
  run(harness: AdapterHarness): Promise<void>;
}
