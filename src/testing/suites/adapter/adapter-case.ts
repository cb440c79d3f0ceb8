import type { Service } from "../../../http/context.js";
import type { Backend } from "../../../ports/backend.js";
import type { Clock } from "../../../ports/runtime.js";

/** A request as it goes over the wire. */
export interface WireRequest {
  /** Sent as it stands. */
  readonly method: string;
  /** The request target, sent as it stands. */
  readonly path: string;
  /** One line each, sent as they stand. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Text and bytes are sent with their length, unless `headers` has a `Content-Length` of its own. */
  readonly body?: string | Uint8Array | Upload;
}

/** A body that is sent piece by piece: chunked, unless `headers` has a `Content-Length`. */
export interface Upload {
  /** One after the other, each as one write. */
  readonly chunks: readonly (string | Uint8Array)[];
  /**
   * What comes after the chunks: the end of the body; nothing, while the reply is waited for; or the end of the
   * connection, after which `send` may reject. Default `finish`.
   */
  readonly end?: "finish" | "stall" | "abort";
}

/** A reply as it came over the wire, its body decoded as UTF-8. */
export interface WireResponse {
  /** Of the status line. */
  readonly status: number;
  /** One line each, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Empty where there is none. */
  readonly body: string;
}

/** One connection, on which requests follow each other. */
export interface WireConnection {
  /** Sends without waiting for the reply. */
  write(request: WireRequest): Promise<void>;
  /** The next reply; rejects when the connection ends before it is whole. */
  read(): Promise<WireResponse>;
  /** Reads the bytes of a reply up to this text; rejects like `read`. */
  readUntil(text: string): Promise<unknown>;
  /** Breaks the connection, as a client that goes away. */
  abort(): void;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** A service behind the adapter under test. */
export interface Mounted {
  /** Sends one request on a connection of its own. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Where the transport is a socket. */
  open?(): Promise<WireConnection>;
}

/** What a transport can do. A case that needs what is missing is skipped by name. */
export interface AdapterCapabilities {
  /** `open` gives connections. */
  readonly sockets: boolean;
  /** Repeated field lines stay apart. `Request` of the Fetch API joins them before anybody sees them. */
  readonly fieldLines: boolean;
  /** Requests with more than 1,000 header fields reach the adapter, in a form that shows how many there are. */
  readonly manyFields?: boolean;
  /** `mount` calls `handle` of the very service that it is given, so that a case can replace it, and sends streams. */
  readonly streams?: boolean;
  /**
   * `mount` takes options of the adapter. Requests that `fallthrough` leaves to the application are answered with 200 and
   * the text `the application: `, followed by their bodies.
   */
  readonly fallthrough?: boolean;
}

/** What a test gives to the cases. */
export interface AdapterHarness {
  /** Of the transport that `mount` gives. */
  readonly capabilities: AdapterCapabilities;
  /** A fresh back end: with atomic submissions or without, so that a test can run the cases in both modes. */
  createBackend(options?: { readonly clock?: Clock }): Backend;
  /** Mounts a service until the case has ended. */
  mount(service: Service, options?: { readonly fallthrough: boolean }): Promise<Mounted>;
}

/** One promise of the HTTP contract, and how to see that an adapter keeps it. */
export interface AdapterCase {
  /** A sentence about behaviour. */
  readonly name: string;
  /** Where the promise comes from. */
  readonly rule: string;
  /** What the transport must be able to do. */
  readonly needs?: readonly (keyof AdapterCapabilities)[];
  /** Rejects when the promise is not kept. */
  run(harness: AdapterHarness): Promise<void>;
}
