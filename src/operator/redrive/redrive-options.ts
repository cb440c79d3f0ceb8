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
 * Which failed operations to run again. At least one member besides `internal` is required. Operations that were cancelled
 * are left out unless `errorType` is `cancelled`.
 */
export interface RedriveFilter<Name extends string = string> extends Filter<Name> {}

/** How to run many operations again. */
export interface RedriveOptions {
  /** If true, nothing is run: the call counts what would be. Default: false. */
  readonly dryRun?: boolean;
  /** Maximum number of operations that one call runs again, 1 to 10,000. Default: 1,000. */
  readonly limit?: number;
  /** Maximum number of operations per second, greater than 0. Default: 10. */
  readonly perSecond?: number;
  /** The `cursor` of the call before. Default: begins with the newest operation. */
  readonly cursor?: string | undefined;
  /** Stops the call: it then resolves with what it has done. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** What a bulk redrive has done. */
export interface RedriveRun {
  /** Number of operations that this call runs again. */
  readonly redriven: number;
  /** Number of operations that match and were left alone: redriven before, without work to run again, or purged meanwhile. */
  readonly skipped: number;
  /** Where to go on with the same filter. Absent if nothing is left. */
  readonly cursor?: string;
}

/** What a bulk redrive would do. The count stops after 10,000 operations were looked at. */
export interface RedrivePreview extends BoundedCount {
  /** Ids of the first 10 operations. */
  readonly sample: readonly string[];
}

const REDRIVE_NAMES: OptionNames<RedriveOptions> = {
  dryRun: true,
  limit: true,
  perSecond: true,
  cursor: true,
  signal: true,
};

/** How a run is bounded. */
export interface RedriveSettings extends Pick<RedriveOptions, "signal"> {
  readonly limit: number;
  readonly perSecond: number;
}

const MAX_LIMIT = 10_000;

/** @throws AsyncReplyError `INVALID_OPTION`, naming the member */
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
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readRedriveOptions(options: RedriveOptions): RedriveSettings {
  checkOptions(options, REDRIVE_NAMES, "operator.redrive");
  const { dryRun = false, perSecond = 10, signal } = options;
  if (typeof dryRun !== "boolean") throw invalidOption("dryRun", "true or false", dryRun);
  if (!(Number.isFinite(perSecond) && perSecond > 0))
    throw invalidOption("perSecond", "a number greater than 0", perSecond);
  const limit = positiveInteger("limit", options.limit, 1_000);
  if (limit > MAX_LIMIT) throw invalidOption("limit", `at most ${MAX_LIMIT}; use \`cursor\` to go on`, limit);
  if (signal !== undefined && !isSignal(signal)) throw invalidOption("signal", "an AbortSignal", signal);
  return { limit, perSecond, signal };
}

function isSignal(signal: unknown): boolean {
  return isObject(signal) && typeof (signal as Partial<AbortSignal>).addEventListener === "function";
}
