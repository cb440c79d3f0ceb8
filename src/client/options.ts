import { invalidOption, misuse } from "../contract/options.js";
import type { MaybePromise } from "../contract/promises.js";
import { type KeyStore, type ShortKeyStore, toShortKeyStore } from "./key-store.js";
import type { AnyOperation } from "./operation.js";

/** Header fields that a client sends with every request. */
export type ClientHeaders = Readonly<Record<string, string>>;

/** Reads the states of an operation from server-sent events. */
export type StateStream = (
  settings: ClientSettings,
  url: string,
  signal?: AbortSignal,
) => AsyncGenerator<AnyOperation, void, undefined>;

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
   * Sends a request, like the `fetch` of the platform. In tests, pass `toFetchHandler(service)`. Default: the global
   * `fetch`.
   */
  readonly fetch?: (request: Request) => Promise<Response>;
  /**
   * Keeps the keys of unanswered submissions, so that the same submission after a reload has the same key. Pass
   * `localStorage`, or an object with `get`, `set` and `delete`. Default: none.
   */
  readonly keyStore?: KeyStore;
  /**
   * Pass the `eventStream` of this module to iterate over states with server-sent events. `op.result()` does not use
   * it. Default: each state is a request.
   */
  readonly eventStream?: StateStream;
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

const OPTIONS: Readonly<Record<keyof ClientOptions | "definitions" | "paths", true>> = {
  baseUrl: true,
  definitions: true,
  paths: true,
  statusPath: true,
  headers: true,
  fetch: true,
  keyStore: true,
  eventStream: true,
  giveUpAfterMs: true,
  requestTimeoutMs: true,
};

/** Checked options of a client. */
export interface ClientSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Address of the status endpoint. */
  readonly statusUrl: string;
  readonly headers: () => MaybePromise<ClientHeaders>;
  /** Whether `headers` may return something else after a 401. */
  readonly canRefresh: boolean;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly keyStore: ShortKeyStore | undefined;
  readonly eventStream: StateStream | undefined;
  readonly giveUpAfterMs: number;
  readonly requestTimeoutMs: number;
}

/** Checks the options of a client. Throws `INVALID_OPTION`. */
export function readClientOptions(options: ClientOptions): ClientSettings {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(OPTIONS, name))
      throw misuse(
        `Unknown option \`${name}\` of createClient. Known options: ${Object.keys(OPTIONS).join(", ")}.`,
      );
  const { baseUrl, statusPath = "/operations", headers = {}, keyStore } = options;
  if (typeof baseUrl !== "string")
    throw invalidOption("baseUrl", "an address such as `https://api.example.com`", baseUrl);
  if (typeof statusPath !== "string" || !statusPath.startsWith("/"))
    throw invalidOption("statusPath", "a path such as `/operations`", statusPath);
  if (options.fetch !== undefined && typeof options.fetch !== "function")
    throw invalidOption("fetch", "a function", options.fetch);
  const root = baseUrl.replace(/\/+$/, "");
  return {
    baseUrl: root,
    statusUrl: root + statusPath,
    headers: typeof headers === "function" ? headers : () => headers,
    canRefresh: typeof headers === "function",
    // Reads the global at each call, so that it can be replaced, and calls it without a receiver.
    fetch: options.fetch ?? ((request) => fetch(request)),
    keyStore: keyStore && toShortKeyStore(keyStore),
    eventStream: options.eventStream,
    giveUpAfterMs: durationMs("giveUpAfterMs", options.giveUpAfterMs, 120_000),
    requestTimeoutMs: durationMs("requestTimeoutMs", options.requestTimeoutMs, 30_000),
  };
}

function durationMs(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw invalidOption(name, "whole milliseconds from 1 to 2147483647", value);
}
