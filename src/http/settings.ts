import {
  callback,
  duration,
  flag,
  integer,
  leaseDuration,
  optional,
  text,
} from "../contract/option-values.js";
import { invalidOption, type OptionReader, type OptionTable } from "../contract/options.js";
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
   * Lease of a `create` function. After a crash, a retry takes over once the lease has expired. Milliseconds,
   * at least 100. Default: 30 s.
   */
  readonly leaseMs?: number;
  /** Maximum size of the return value of a `create` function. Bytes of JSON. Default: 64 KiB. */
  readonly maxResultBytes?: number;
}

/** Default of `maxBodyBytes`. */
export const DEFAULT_MAX_BODY_BYTES = 65_536;

/** {@link SettingsOptions} with all defaults applied. */
export type ServiceSettings = Required<Omit<SettingsOptions, "admit" | "authorize">> & {
  /** Undefined if the service refuses every HTTP request. */
  readonly authorize: Authorize | undefined;
  readonly admit: Admit | undefined;
};

/** Half of the shortest grace period of a purge. The grace period must outlast every submission in progress. */
const MAX_RECORD_TIMEOUT_MS = 30_000;

/** Deeper values could exhaust the stack of code that walks them recursively. */
const MAX_DEPTH = 1_000;

/** How {@link SettingsOptions} are read. */
export const SETTINGS: OptionTable<ServiceSettings> = {
  authorize: (value, name) => {
    const authorize = optional(callback<Authorize>())(value, name);
    const challenge = authorize?.challenge;
    if (/^[\t\x20-\x7e]*$/.test(challenge ?? "")) return authorize;
    const expected = "a `WWW-Authenticate` value in printable ASCII, such as `Bearer`";
    throw invalidOption(`${name}.challenge`, expected, challenge);
  },
  admit: optional(callback()),
  basePath: text(/^(\/[A-Za-z0-9._~-]+)*$/, "a path such as `/api`, without a slash at the end", ""),
  statusPath: text(/^(\/[A-Za-z0-9._~-]+)+$/, "a path such as `/operations`", "/operations"),
  list: flag(false),
  problemBaseUri: readProblemBaseUri,
  maxBodyBytes: integer(DEFAULT_MAX_BODY_BYTES),
  maxDepth: integer(32, MAX_DEPTH),
  bodyTimeoutMs: duration(30_000),
  authorizeTimeoutMs: duration(5_000),
  recordTimeoutMs: (value, name) => {
    const ms = duration(10_000)(value, name);
    if (ms <= MAX_RECORD_TIMEOUT_MS) return ms;
    throw invalidOption(name, `at most ${MAX_RECORD_TIMEOUT_MS} milliseconds`, value);
  },
  maxWaitMs: orZero(duration(25_000)),
  maxStreamMs: orZero(duration(600_000)),
  maxWaiters: integer(10_000),
  createTimeoutMs: duration(30_000),
  leaseMs: leaseDuration(30_000),
  maxResultBytes: integer(65_536),
};

function orZero(read: OptionReader<number>): OptionReader<number> {
  return (value, name) => (value === 0 ? 0 : read(value, name));
}
