import { invalidOption, isObject, type MaybePromise, misuse, shown } from "../contract/options.js";
import type { OutputPart } from "../contract/output.js";
import { MAX_TIMER_MS } from "../contract/timers.js";
import type { KeyStore } from "./key-store.js";
import type { AnyOperation } from "./operation.js";

/** Header fields that a client sends with every request. */
export type ClientHeaders = Readonly<Record<string, string>>;

/** A request of a client: the second argument of `fetch`. */
export interface ClientRequest {
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: Record<string, string>;
  /** JSON, or null. */
  readonly body: string | null;
  /** The client follows redirects within the origin itself, because other origins must not get the header fields. */
  readonly redirect: "manual";
  /** Is aborted when the call ends or its time is over. */
  readonly signal: AbortSignal;
}

/** Sends the requests of a client. The global `fetch` is one. */
export type ClientFetch = (url: string, request: ClientRequest) => Promise<Response>;

/** Reads the states of an operation from server-sent events. */
export type StateStream = (
  settings: ClientSettings,
  url: string,
  signal?: AbortSignal,
) => AsyncGenerator<AnyOperation, void, undefined>;

/** Reads the output of an operation from server-sent events. */
export type OutputStream = (
  settings: ClientSettings,
  url: string,
  from?: string,
  signal?: AbortSignal,
) => AsyncGenerator<OutputPart<unknown>, void, undefined>;

/** Options of `createClient`. Only `baseUrl` is required. */
export interface ClientOptions {
  /**
   * Address of the service, with its `basePath`: `https://api.example.com/v1`. In browsers it may be relative: `/v1`,
   * or an empty string for the root of the page's origin.
   */
  readonly baseUrl: string;
  /** The `statusPath` of the service. Default: `/operations`. */
  readonly statusPath?: string;
  /**
   * Header fields of every request, such as `Authorization`. A function is called before every request, and once more
   * if the reply is a 401. Default: none.
   */
  readonly headers?: ClientHeaders | (() => MaybePromise<ClientHeaders>);
  /**
   * Sends a request, like the `fetch` of the platform. To call a service without a network, pass
   * `(url, request) => handler(new Request(url, request))` with the handler of `toFetchHandler(service)`. Default: the
   * global `fetch`.
   */
  readonly fetch?: ClientFetch;
  /**
   * Keeps the keys of unanswered submissions, so that the same submission after a reload has the same key. Pass
   * `createKeyStore(localStorage)`. Default: none.
   */
  readonly keyStore?: KeyStore;
  /**
   * Pass the `eventStream` of this module to iterate over states with server-sent events. `op.result()` does not use
   * it. Default: each state is a request.
   */
  readonly eventStream?: StateStream;
  /** Pass the `outputStream` of this module to read outputs with `op.output()`. Default: none, which saves 1 KB. */
  readonly outputStream?: OutputStream;
  /**
   * How long a request that fails is retried. Longer `Retry-After` times are not waited for. Milliseconds. Default:
   * 2 min.
   */
  readonly giveUpAfterMs?: number;
  /**
   * How long one request may take, in addition to the time that the service was asked to wait. Then it counts as
   * failed. Milliseconds. Default: 30 s.
   */
  readonly requestTimeoutMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call when it is aborted. An operation continues. */
  readonly signal?: AbortSignal;
  /** Header fields of the requests of this call. They replace those of the client with the same names. Default: none. */
  readonly headers?: ClientHeaders;
}

/** Checked options of a client. */
export interface ClientSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Address of the status endpoint. */
  readonly statusUrl: string;
  readonly headers: ClientHeaders | (() => MaybePromise<ClientHeaders>);
  /** Header fields of one call, besides `headers`. */
  readonly callHeaders?: ClientHeaders | undefined;
  readonly fetch: ClientFetch;
  readonly keyStore: KeyStore | undefined;
  readonly eventStream: StateStream | undefined;
  readonly outputStream: OutputStream | undefined;
  readonly giveUpAfterMs: number;
  readonly requestTimeoutMs: number;
}

/** Names of all options, and their defaults. */
const DEFAULTS: Readonly<Record<keyof ClientOptions | "definitions" | "paths", unknown>> = {
  baseUrl: undefined,
  definitions: undefined,
  paths: undefined,
  statusPath: "/operations",
  headers: {},
  // Reads the global at each call, so that it can be replaced, and calls it without a receiver.
  fetch: (url: string, request: ClientRequest) => fetch(url, request),
  keyStore: undefined,
  eventStream: undefined,
  outputStream: undefined,
  giveUpAfterMs: 120_000,
  requestTimeoutMs: 30_000,
};

/** Checks the options of a client. Throws `INVALID_OPTION`. */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of checkNames("createClient", options, Object.keys(DEFAULTS)))
    settings[name] = value;
  const { baseUrl, statusPath, keyStore, fetch, giveUpAfterMs, requestTimeoutMs } = settings;
  // `localhost:3000` is an address with the scheme `localhost`.
  if (typeof baseUrl !== "string" || /^[\w.-]+:(?!\/\/)/.test(baseUrl))
    throw invalidOption("baseUrl", "an address such as `https://api.example.com`", baseUrl);
  if (!/^\//.test(statusPath as string))
    throw invalidOption("statusPath", "a path such as `/operations`", statusPath);
  if (keyStore && typeof keyStore !== "function")
    throw invalidOption("keyStore", "`createKeyStore(localStorage)`", keyStore);
  if (typeof fetch !== "function") throw invalidOption("fetch", "a function", fetch);
  checkDuration("giveUpAfterMs", giveUpAfterMs);
  checkDuration("requestTimeoutMs", requestTimeoutMs);
  const root = baseUrl.replace(/\/+$/, "");
  return { ...(settings as unknown as ClientSettings), baseUrl: root, statusUrl: root + statusPath };
}

/**
 * Checks the options of a call, and returns them.
 *
 * Throws `INVALID_OPTION` for unknown names, and for a signal of another kind.
 *
 * @param names Options besides those of every call.
 */
export function checkCall<Options extends CallOptions>(
  owner: string,
  options: Options,
  names: readonly string[] = [],
): Options {
  checkNames(owner, options, [...names, "signal", "headers"]);
  const { signal } = options;
  if (signal && (typeof signal.aborted !== "boolean" || !signal.addEventListener))
    throw invalidOption("signal", "an AbortSignal", signal);
  return options;
}

/** Returns the options that are set. Throws `INVALID_OPTION` for unknown names. */
function checkNames(
  owner: string,
  options: object,
  known: readonly string[],
): readonly (readonly [string, unknown])[] {
  if (!isObject(options)) throw misuse(`The options of ${owner} must be an object, not ${shown(options)}.`);
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name] of set)
    if (!known.includes(name))
      throw misuse(`Unknown option \`${name}\` of ${owner}. Known options: ${known.join(", ")}.`);
  return set;
}

/** Throws `INVALID_OPTION` for a value that timers do not support. */
export function checkDuration(name: string, value: unknown): void {
  // Only whole numbers of 32 bits stay the same.
  if (value !== ((value as number) | 0) || value <= 0)
    throw invalidOption(name, `whole milliseconds from 1 to ${MAX_TIMER_MS}`, value);
}
