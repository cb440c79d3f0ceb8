import { invalidOption, type OptionReader, type OptionTable, readOptions } from "../options.js";

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

/** Highest limit, so that every store can count up to it. */
const MAX_LIMIT = 1_000_000;

const limit: OptionReader<number | undefined> = (value, name) => {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT) return Number(value);
  throw invalidOption(name, `a whole number from 1 to ${MAX_LIMIT}, or absent for no limit`, value);
};

const OPTIONS: OptionTable<OperationLimits> = {
  running: limit,
  runningPerTenant: limit,
  pending: limit,
  pendingPerTenant: limit,
};

/**
 * Checks the option and returns a copy. Returns undefined if it has no limit.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readLimits(limits: OperationLimits): OperationLimits | undefined {
  const read = readOptions<OperationLimits>(limits, OPTIONS, "defineOperation", "limits");
  const given = Object.entries(read).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.freeze(Object.fromEntries(given));
}
