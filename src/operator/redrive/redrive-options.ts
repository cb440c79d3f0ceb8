import {
  checkOptions,
  invalidOption,
  isObject,
  misuse,
  type OptionNames,
  positiveInteger,
} from "../../contract/options.js";
import type { BoundedCount } from "../../ports/operation-store.js";
import type { OperatorContext } from "../context.js";
import { checkFilter, FILTER_NAMES, type Filter } from "../filter.js";

/**
 * Filter for the failed operations to run again. At least one member besides `internal` is required. Cancelled
 * operations are left out unless `errorType` is `cancelled`.
 */
export interface RedriveFilter<Name extends string = string> extends Filter<Name> {}

/** Options of a bulk redrive. */
export interface RedriveOptions {
  /** If true, the call only counts the operations that it would run again. Default: false. */
  readonly dryRun?: boolean;
  /** Maximum number of operations to run again in one call, 1 to 10,000. Default: 1,000. */
  readonly limit?: number;
  /** Maximum number of operations to run again per second, greater than 0. Default: 10. */
  readonly perSecond?: number;
  /** `cursor` of the previous call. Default: none; the call starts with the newest operation. */
  readonly cursor?: string | undefined;
  /** Stops the call, which then resolves with the result so far. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Result of a bulk redrive. */
export interface RedriveRun {
  /** Number of operations that this call ran again. */
  readonly redriven: number;
  /**
   * Number of matching operations that were skipped: redriven before, without work to run again, or purged in the
   * meantime.
   */
  readonly skipped: number;
  /** Position from which to continue with the same filter. Absent if no operations are left. */
  readonly cursor?: string;
}

/** Preview of a bulk redrive. It reads at most 10,000 failed operations. */
export interface RedrivePreview extends BoundedCount {
  /** Ids of the first 10 matching operations. */
  readonly sample: readonly string[];
}

const REDRIVE_NAMES: OptionNames<RedriveOptions> = {
  dryRun: true,
  limit: true,
  perSecond: true,
  cursor: true,
  signal: true,
};

/** Limits of a bulk redrive, with their defaults. */
export interface RedriveSettings extends Pick<RedriveOptions, "signal"> {
  readonly limit: number;
  readonly perSecond: number;
}

const MAX_LIMIT = 10_000;

/**
 * Checks the filter of a bulk redrive.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkRedriveFilter(context: OperatorContext, filter: RedriveFilter): void {
  if (!isObject(filter))
    throw invalidOption("filter", "the id of an operation, or a filter such as `{ definition }`", filter);
  checkOptions(filter, FILTER_NAMES, "operator.redrive");
  checkFilter(context, filter);
  const { internal: _, ...narrowing } = filter;
  if (Object.values(narrowing).every((value) => value === undefined))
    throw misuse(
      "The filter of operator.redrive is empty, which would run every failed operation again. Pass at least one of " +
        "definition, tenant, errorType, createdFrom and createdBefore.",
    );
}

/**
 * Checks the options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`.
 */
export function readRedriveOptions(options: RedriveOptions): RedriveSettings {
  checkOptions(options, REDRIVE_NAMES, "operator.redrive");
  const { dryRun = false, perSecond = 10, signal } = options;
  if (typeof dryRun !== "boolean") throw invalidOption("dryRun", "true or false", dryRun);
  if (!(Number.isFinite(perSecond) && perSecond > 0))
    throw invalidOption("perSecond", "a number greater than 0", perSecond);
  const limit = positiveInteger("limit", options.limit, 1_000);
  if (limit > MAX_LIMIT)
    throw invalidOption("limit", `at most ${MAX_LIMIT}; use \`cursor\` to continue`, limit);
  if (signal !== undefined && !isSignal(signal)) throw invalidOption("signal", "an AbortSignal", signal);
  return { limit, perSecond, signal };
}

function isSignal(signal: unknown): boolean {
  return isObject(signal) && typeof (signal as Partial<AbortSignal>).addEventListener === "function";
}
