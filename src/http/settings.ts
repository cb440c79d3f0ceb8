import { checkFunction, durationMs, invalidOption, positiveInteger } from "../core/options.js";
import type { Authorization, AuthorizationRequest, Authorize, Principal } from "../ports/authorize.js";

/** Sends a request away before its body is read. */
export interface Refusal {
  /** 429 for this caller's share, 503 for the load of all. */
  readonly status: 429 | 503;
  /** When a repetition makes sense: the `Retry-After` of the reply, rounded up to whole seconds. */
  readonly retryAfterSeconds: number;
}

/** Admits a request by returning nothing: the place for rate limits and load shedding. */
export type Admit = (
  request: AuthorizationRequest,
  principal: Principal,
  authorization: Authorization,
) => Refusal | undefined | Promise<Refusal | undefined>;

/** What a service can be told besides its definitions. Every limit is a whole number greater than 0. */
export interface SettingsOptions {
  /** Required: `allowAnonymous()` is said aloud. */
  readonly authorize: Authorize;
  /** Asked after `authorize` and before the body is read, within `authorizeTimeoutMs`. Default everybody is admitted. */
  readonly admit?: Admit;
  /** The path under which the service is mounted: taken off in routing and put before `Location`. Default none. */
  readonly basePath?: string;
  /** Default 64 KiB. */
  readonly maxBodyBytes?: number;
  /** How deep containers may nest in a body: at most 1,000. Default 32. */
  readonly maxDepth?: number;
  /** How long a body may take to arrive. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** How long the authorize hook may take, and the admit hook. Default 5 s each. */
  readonly authorizeTimeoutMs?: number;
  /** How long a store may take to record, read or cancel before the reply is 503: at most 30 s. Default 10 s. */
  readonly recordTimeoutMs?: number;
  /** How long `create` of a definition may take before the reply is 503. Default 30 s. */
  readonly createTimeoutMs?: number;
  /** The lease of a creation before the reply. Default 30 s. */
  readonly leaseMs?: number;
  /** The size of what `create` returns. Default 64 KiB. */
  readonly maxResultBytes?: number;
}

/** {@link SettingsOptions} with every default filled in. */
export type ServiceSettings = Required<Omit<SettingsOptions, "admit">> & {
  readonly admit: Admit | undefined;
};

/**
 * Checks the options and fills in the defaults.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readSettings(options: SettingsOptions): ServiceSettings {
  const { authorize, admit, basePath = "" } = options;
  checkFunction("authorize", authorize);
  if (!/^[\t\x20-\x7e]*$/.test(authorize.challenge ?? ""))
    throw invalidOption("authorize.challenge", "a value of WWW-Authenticate in ASCII", authorize.challenge);
  checkFunction("admit", admit, { optional: true });
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(basePath))
    throw invalidOption("basePath", "a path such as `/api`", basePath);
  return {
    authorize,
    admit,
    basePath,
    maxBodyBytes: positiveInteger("maxBodyBytes", options.maxBodyBytes, 65_536),
    maxDepth: depth(options.maxDepth),
    bodyTimeoutMs: durationMs("bodyTimeoutMs", options.bodyTimeoutMs, 30_000),
    authorizeTimeoutMs: durationMs("authorizeTimeoutMs", options.authorizeTimeoutMs, 5_000),
    recordTimeoutMs: recordTimeout(options.recordTimeoutMs),
    createTimeoutMs: durationMs("createTimeoutMs", options.createTimeoutMs, 30_000),
    leaseMs: durationMs("leaseMs", options.leaseMs, 30_000),
    maxResultBytes: positiveInteger("maxResultBytes", options.maxResultBytes, 65_536),
  };
}

/** Half of the shortest grace of a purge, which must outlast every submission that is under way. */
const MAX_RECORD_TIMEOUT_MS = 30_000;

function recordTimeout(value: number | undefined): number {
  const ms = durationMs("recordTimeoutMs", value, 10_000);
  if (ms > MAX_RECORD_TIMEOUT_MS)
    throw invalidOption("recordTimeoutMs", `at most ${MAX_RECORD_TIMEOUT_MS}`, value);
  return ms;
}

/** What is deeper than this could exhaust the stack of whoever walks the value. */
const MAX_DEPTH = 1_000;

function depth(value: number | undefined): number {
  const maxDepth = positiveInteger("maxDepth", value, 32);
  if (maxDepth > MAX_DEPTH) throw invalidOption("maxDepth", `at most ${MAX_DEPTH}`, value);
  return maxDepth;
}
