import {
  checkFunction,
  durationMs,
  invalidOption,
  misuse,
  type OptionNames,
  positiveInteger,
} from "../contract/options.js";
import { PROBLEM_BASE_URI } from "../contract/problem.js";
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
  /** Required. To allow everyone, pass `allowAnonymous()` explicitly. */
  readonly authorize: Authorize;
  /** Asked after `authorize` and before the body is read, within `authorizeTimeoutMs`. Default everybody is admitted. */
  readonly admit?: Admit;
  /** The path under which the service is mounted: taken off in routing and put before `Location`. Default none. */
  readonly basePath?: string;
  /** The path under which operations are read and canceled, behind `basePath`. Default: `/operations`. */
  readonly statusPath?: string;
  /** Whether tenants may list their own operations at `statusPath`. Needs a back end that can list. Default: false. */
  readonly list?: boolean;
  /**
   * The URI before the name of a problem in its `type`, such as `https://docs.example.com/problems/`. It ends with `/`, `#`,
   * `:` or `=`. Default: the page of this package on npm.
   */
  readonly problemBaseUri?: string;
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

/** Names of {@link SettingsOptions}. */
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
  createTimeoutMs: true,
  leaseMs: true,
  maxResultBytes: true,
};

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
  const { authorize, admit, basePath = "", statusPath = "/operations" } = options;
  const { list = false, problemBaseUri = PROBLEM_BASE_URI } = options;
  if (authorize === undefined) throw misuse(NO_AUTHORIZE);
  checkFunction("authorize", authorize);
  if (!/^[\t\x20-\x7e]*$/.test(authorize.challenge ?? ""))
    throw invalidOption(
      "authorize.challenge",
      "a value of WWW-Authenticate in printable ASCII",
      authorize.challenge,
    );
  checkFunction("admit", admit, { optional: true });
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(basePath))
    throw invalidOption("basePath", "a path such as `/api`, without a slash at its end", basePath);
  if (typeof statusPath !== "string" || !/^(\/[A-Za-z0-9._~-]+)+$/.test(statusPath))
    throw invalidOption("statusPath", "a path such as `/operations`", statusPath);
  if (typeof list !== "boolean") throw invalidOption("list", "a boolean", list);
  if (!isBaseUri(problemBaseUri))
    throw invalidOption(
      "problemBaseUri",
      "an absolute URI that ends with `/`, `#`, `:` or `=`",
      problemBaseUri,
    );
  return {
    authorize,
    admit,
    basePath,
    statusPath,
    list,
    problemBaseUri,
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

const NO_AUTHORIZE =
  "Option `authorize` is missing. Pass a hook such as `bearer(verify)`, or `allowAnonymous()` to allow everyone.";

/** The name of a problem is read back from behind the last of these characters. */
function isBaseUri(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]*[/#:=]$/i.test(value) &&
    URL.canParse(value)
  );
}

/** Half of the shortest grace of a purge, which must outlast every submission that is under way. */
const MAX_RECORD_TIMEOUT_MS = 30_000;

function recordTimeout(value: number | undefined): number {
  const ms = durationMs("recordTimeoutMs", value, 10_000);
  if (ms > MAX_RECORD_TIMEOUT_MS)
    throw invalidOption("recordTimeoutMs", `at most ${MAX_RECORD_TIMEOUT_MS} milliseconds`, value);
  return ms;
}

/** What is deeper than this could exhaust the stack of whoever walks the value. */
const MAX_DEPTH = 1_000;

function depth(value: number | undefined): number {
  const maxDepth = positiveInteger("maxDepth", value, 32);
  if (maxDepth > MAX_DEPTH) throw invalidOption("maxDepth", `a whole number of at most ${MAX_DEPTH}`, value);
  return maxDepth;
}
