import { checkOptions, invalidOption, type OptionNames } from "../options.js";

/** Limits of the work of one definition, across all services and workers. */
export interface OperationLimits {
  /**
   * Maximum number of operations that run at once. Further ones wait until a place is free. At most 1,000,000. Default:
   * no limit.
   */
  readonly running?: number;
  /** Maximum number of operations of one tenant that run at once. At most 1,000,000. Default: no limit. */
  readonly runningPerTenant?: number;
  /**
   * Maximum number of operations that have not ended: those that wait, are delayed or run. Further submissions are refused
   * with 503 `backlog-full`, but a repeated request gets the operation of its key. The limit can be exceeded by what other
   * processes accept within a second. Redrives and webhooks are never refused. At most 1,000,000. Default: no limit.
   */
  readonly pending?: number;
  /** The same for each tenant. Further submissions are refused with 429 `too-many-pending`. Default: no limit. */
  readonly pendingPerTenant?: number;
}

const OPTIONS: OptionNames<OperationLimits> = {
  running: true,
  runningPerTenant: true,
  pending: true,
  pendingPerTenant: true,
};

/** Highest limit, so that every store can count up to it. */
const MAX_LIMIT = 1_000_000;

/**
 * Checks the option and returns a copy. Returns undefined if it has no limit.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readLimits(limits: OperationLimits): OperationLimits | undefined {
  checkOptions(limits, OPTIONS, "defineOperation", "limits");
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of given) checkLimit(`limits.${name}`, limit);
  return given.length === 0 ? undefined : Object.freeze(Object.fromEntries(given));
}

function checkLimit(name: string, limit: unknown): void {
  if (Number.isSafeInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_LIMIT) return;
  throw invalidOption(name, `a whole number from 1 to ${MAX_LIMIT}, or absent for no limit`, limit);
}
