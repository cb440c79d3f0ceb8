import {
  checkFunction,
  durationMs,
  invalidOption,
  type OptionNames,
  positiveInteger,
} from "../contract/options.js";
import { readProblemBaseUri } from "../contract/problem-base-uri.js";
import type { Authorization, AuthorizationRequest, Authorize, Principal } from "../ports/authorize.js";

/** Refuses a request before its body is read. */
export interface Refusal {
  /** Status of the reply: 429 if this caller sends too much, 503 if the service is overloaded. */
  readonly status: 429 | 503;
  /** `Retry-After` of the reply. Seconds, rounded up to a whole number. */
  readonly retryAfterSeconds: number;
}

/**
 * Hook for rate limits and load shedding. To admit a request, return nothing. To refuse it, return a {@link Refusal}.
 */
export type Admit = (
  request: AuthorizationRequest,
  principal: Principal,
  authorization: Authorization,
) => Refusal | undefined | PromiseLike<Refusal | undefined>;

/** Options of a service besides its definitions. Every limit is a whole number greater than 0, unless it says otherwise. */
export interface SettingsOptions {
  /**
   * Authorizes every HTTP request. To allow everyone, pass `allowAnonymous()` explicitly. Default: none; every HTTP
   * request is refused with 500, and calls in process have the tenant `default` unless they name one.
   */
  readonly authorize?: Authorize | undefined;
  /**
   * Hook for rate limits and load shedding. It is called after `authorize`, before the body is read. If it takes
   * longer than `authorizeTimeoutMs`, the reply is 503. Default: admits every request.
   */
  readonly admit?: Admit;
  /** Path where the service is mounted, such as `/api`. All paths and `Location` start with it. Default: none. */
  readonly basePath?: string;
  /** Path where operations are read and cancelled, after `basePath`. Default: `/operations`. */
  readonly statusPath?: string;
  /** Whether tenants can list their own operations at `statusPath`. Needs a back end that can list. Default: false. */
  readonly list?: boolean;
  /**
   * Base URI of problem types, such as `https://docs.example.com/problems/`. The name of the problem is appended.
   * Must end with `/`, `#`, `:` or `=`. Clients compare it, so set it before the first client ships. Default: the page
   * of this package on npm.
   */
  readonly problemBaseUri?: string;
  /** Maximum size of a request body. Bytes. Default: 64 KiB. */
  readonly maxBodyBytes?: number;
  /** Maximum nesting depth of arrays and objects in a body. At most 1,000. Default: 32. */
  readonly maxDepth?: number;
  /** Time limit for a body to arrive. Then the reply is 408. Milliseconds. Default: 30 s. */
  readonly bodyTimeoutMs?: number;
  /** Time limit of `authorize`, and of `admit`. Then the reply is 503. Milliseconds. Default: 5 s each. */
  readonly authorizeTimeoutMs?: number;
  /** Time limit of a store call. Then the reply is 503. Milliseconds, at most 30 s. Default: 10 s. */
  readonly recordTimeoutMs?: number;
  /**
   * Maximum time that a request with `Prefer: wait` waits. 0 turns waiting off. Milliseconds. Default: 25 s, because
   * several proxies give up after 30 s.
   */
  readonly maxWaitMs?: number;
  /**
   * Maximum duration of an event stream. Then the client reconnects, and is authorized again. A stream can end up to
   * 20 % earlier. 0 turns streams off. Milliseconds. Default: 10 min.
   */
  readonly maxStreamMs?: number;
  /**
   * Maximum number of waiting requests, event streams and `service.result` calls at the same time. Requests beyond it are
   * answered at once with the current state. A tenant may have at most as many as there are free places. Default: 10,000.
   */
  readonly maxWaiters?: number;
  /** Time limit of a `create` function. Then the reply is 503. Milliseconds. Default: 30 s. */
  readonly createTimeoutMs?: number;
  /**
   * Lease of a `create` function. After a crash, a retry takes over once the lease has expired. Milliseconds.
   * Default: 30 s.
   */
  readonly leaseMs?: number;
  /** Maximum size of the return value of a `create` function. Bytes of JSON. Default: 64 KiB. */
  readonly maxResultBytes?: number;
}

/** Default of `maxBodyBytes`. */
export const DEFAULT_MAX_BODY_BYTES = 65_536;

/** Names of all {@link SettingsOptions}. */
export const SETTINGS_OPTIONS: OptionNames<SettingsOptions> = {
  authorize: true,
  admit: true,
  basePath: true,
  statusPath: true,
  list: true,
  problemBaseUri: true,
  maxBodyBytes: true,
  maxDepth: true,
  bodyTimeoutMs: true,
  authorizeTimeoutMs: true,
  recordTimeoutMs: true,
  maxWaitMs: true,
  maxStreamMs: true,
  maxWaiters: true,
  createTimeoutMs: true,
  leaseMs: true,
  maxResultBytes: true,
};

/** {@link SettingsOptions} with all defaults applied. */
export type ServiceSettings = Required<Omit<SettingsOptions, "admit" | "authorize">> & {
  /** Undefined if the service refuses every HTTP request. */
  readonly authorize: Authorize | undefined;
  readonly admit: Admit | undefined;
};

/**
 * Checks the options and applies the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readSettings(options: SettingsOptions): ServiceSettings {
  const { authorize, admit, basePath = "", statusPath = "/operations" } = options;
  const { list = false } = options;
  checkFunction("authorize", authorize, { optional: true });
  if (!/^[\t\x20-\x7e]*$/.test(authorize?.challenge ?? ""))
    throw invalidOption(
      "authorize.challenge",
      "a `WWW-Authenticate` value in printable ASCII, such as `Bearer`",
      authorize?.challenge,
    );
  checkFunction("admit", admit, { optional: true });
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(basePath))
    throw invalidOption("basePath", "a path such as `/api`, without a slash at the end", basePath);
  if (typeof statusPath !== "string" || !/^(\/[A-Za-z0-9._~-]+)+$/.test(statusPath))
    throw invalidOption("statusPath", "a path such as `/operations`", statusPath);
  if (typeof list !== "boolean") throw invalidOption("list", "a boolean", list);
  return {
    authorize,
    admit,
    basePath,
    statusPath,
    list,
    problemBaseUri: readProblemBaseUri(options.problemBaseUri),
    maxBodyBytes: positiveInteger("maxBodyBytes", options.maxBodyBytes, DEFAULT_MAX_BODY_BYTES),
    maxDepth: depth(options.maxDepth),
    bodyTimeoutMs: durationMs("bodyTimeoutMs", options.bodyTimeoutMs, 30_000),
    authorizeTimeoutMs: durationMs("authorizeTimeoutMs", options.authorizeTimeoutMs, 5_000),
    recordTimeoutMs: recordTimeout(options.recordTimeoutMs),
    maxWaitMs: options.maxWaitMs === 0 ? 0 : durationMs("maxWaitMs", options.maxWaitMs, 25_000),
    maxStreamMs: options.maxStreamMs === 0 ? 0 : durationMs("maxStreamMs", options.maxStreamMs, 600_000),
    maxWaiters: positiveInteger("maxWaiters", options.maxWaiters, 10_000),
    createTimeoutMs: durationMs("createTimeoutMs", options.createTimeoutMs, 30_000),
    leaseMs: durationMs("leaseMs", options.leaseMs, 30_000),
    maxResultBytes: positiveInteger("maxResultBytes", options.maxResultBytes, 65_536),
  };
}

/** Half of the shortest grace period of a purge. The grace period must outlast every submission in progress. */
const MAX_RECORD_TIMEOUT_MS = 30_000;

function recordTimeout(value: number | undefined): number {
  const ms = durationMs("recordTimeoutMs", value, 10_000);
  if (ms > MAX_RECORD_TIMEOUT_MS)
    throw invalidOption("recordTimeoutMs", `at most ${MAX_RECORD_TIMEOUT_MS} milliseconds`, value);
  return ms;
}

/** Deeper values could exhaust the stack of code that walks them recursively. */
const MAX_DEPTH = 1_000;

function depth(value: number | undefined): number {
  const maxDepth = positiveInteger("maxDepth", value, 32);
  if (maxDepth > MAX_DEPTH) throw invalidOption("maxDepth", `a whole number of at most ${MAX_DEPTH}`, value);
  return maxDepth;
}
