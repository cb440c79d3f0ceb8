import { isAsyncReplyError } from "../contract/errors.js";
import type { Mutable } from "../contract/mutable.js";
import { flag, instance, integer, optional } from "../contract/option-values.js";
import {
  invalidOption,
  isObject,
  misuse,
  type OptionTable,
  present,
  readOptions,
} from "../contract/options.js";
import { sleep } from "../platform/waits.js";
import type { BoundedCount, ListedOperation, ListPosition, ListRequest } from "../ports/operation-reads.js";
import type { Clock } from "../ports/runtime.js";
import type { ActionOptions } from "./act.js";
import type { OperatorContext } from "./context.js";
import {
  FAILED,
  type Filter,
  filterTable,
  isFailure,
  MAX_FAILED,
  type ReadMembers,
  scan,
  toRequest,
} from "./filter.js";
import { checkKeepsCheckpoint } from "./keep-checkpoint.js";
import { type OperatorRedriveOptions, REDRIVE_OPTIONS, redrive } from "./redrive-one.js";
import {
  type RedrivePosition,
  type RedriveSoFar,
  readRedriveCursor,
  recordRedrive,
  toRedriveCursor,
} from "./redrive-run.js";

/**
 * Filter for the failed operations to run again. At least one member besides `internal` is required. Cancelled
 * operations are left out unless `errorType` is `cancelled`.
 */
export interface RedriveFilter<Name extends string = string> extends Filter<Name> {}

/** Options of a bulk redrive. */
export interface RedriveOptions extends OperatorRedriveOptions {
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

type RedriveSettings = {
  readonly [Name in "dryRun" | "limit" | "perSecond" | "keepCheckpoint"]-?: Required<RedriveOptions>[Name];
} & ActionOptions & {
    readonly cursor: RedrivePosition | undefined;
    readonly signal: AbortSignal | undefined;
  };

const SAMPLE = 10;

const OPTIONS: OptionTable<RedriveSettings> = {
  ...REDRIVE_OPTIONS,
  dryRun: flag(false),
  limit: integer(1_000, 10_000, "; use `cursor` to continue"),
  perSecond: (value = 10, name) => {
    if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
    throw invalidOption(name, "a number greater than 0", value);
  },
  cursor: optional(readRedriveCursor),
  signal: optional(instance("an AbortSignal", "addEventListener")),
};

/** Runs failed operations again: see `Operator.redrive`. */
export async function redriveMany(
  context: OperatorContext,
  given: RedriveFilter,
  options: RedriveOptions = {},
): Promise<RedriveRun | RedrivePreview> {
  const filter = readFilter(context, given);
  const settings = readOptions(options, OPTIONS, "operator.redrive");
  const { dryRun, cursor } = settings;
  if (settings.keepCheckpoint) checkKeepsCheckpoint(context, filter.definition);
  const request = { ...toRequest(filter), ...FAILED, ...present({ after: cursor?.after }) };
  return dryRun ? preview(context, { filter, request }) : run(context, { filter, request }, settings);
}

/** The list to read, and the filter to apply to it. */
interface Scanned {
  readonly filter: ReadMembers<Filter>;
  readonly request: ListRequest;
}

async function preview(context: OperatorContext, { filter, request }: Scanned): Promise<RedrivePreview> {
  const sample: string[] = [];
  let count = 0;
  const next = await scan(context, { request, maxRead: MAX_FAILED }, (operation) => {
    if (!isFailure(filter, operation) || !isOpen(context, operation)) return true;
    count += 1;
    if (sample.length < SAMPLE) sample.push(operation.id);
    return true;
  });
  return { count, more: next !== undefined, sample };
}

async function run(
  context: OperatorContext,
  scanned: Scanned,
  settings: RedriveSettings,
): Promise<RedriveRun> {
  settings.signal?.throwIfAborted();
  const counts = { redriven: 0, skipped: 0 };
  const record = (end: object): Promise<RedriveSoFar> =>
    recordRedrive(context, { filter: scanned.filter, ...counts, end }, settings);
  let next: ListPosition | undefined;
  try {
    next = await runEach(context, scanned, settings, counts);
  } catch (error) {
    await record({ more: true, rejected: isAsyncReplyError(error) ? error.code : "INTERNAL" });
    throw error;
  }
  const soFar = await record(next === undefined ? {} : { more: true });
  await context.bell.published();
  return { ...counts, ...(next === undefined ? {} : { cursor: toRedriveCursor(next, soFar) }) };
}

/** Runs operations again and counts them. Returns the position to continue from, or undefined if none are left. */
function runEach(
  context: OperatorContext,
  { filter, request }: Scanned,
  { limit, perSecond, signal, keepCheckpoint }: RedriveSettings,
  counts: Mutable<Pick<RedriveRun, "redriven" | "skipped">>,
): Promise<ListPosition | undefined> {
  const pace = createPace({ clock: context.runtime.clock, perSecond, signal });
  let read = 0;
  // At least one operation is read before a stop, so that there is a position to continue from.
  const isStopped = (): boolean => signal?.aborted === true && read > 1;
  return scan(context, { request, maxRead: MAX_FAILED }, async (operation) => {
    read += 1;
    if (isStopped()) return false;
    if (!isFailure(filter, operation)) return true;
    const open = isOpen(context, operation);
    if (open && counts.redriven === limit) return false;
    if (open) await pace();
    if (isStopped()) return false;
    if (open && (await runAgain(context, operation, keepCheckpoint))) counts.redriven += 1;
    else counts.skipped += 1;
    return true;
  });
}

async function runAgain(
  context: OperatorContext,
  operation: ListedOperation,
  keepCheckpoint: boolean,
): Promise<boolean> {
  const { result } = await redrive(context, operation, keepCheckpoint);
  return result.outcome === "redriven" && result.created;
}

/** Returns whether an operation has not been redriven yet and the operator knows its definition. */
function isOpen({ names }: OperatorContext, { definition, retriedBy }: ListedOperation): boolean {
  return retriedBy === undefined && names.includes(definition);
}

/** Options of {@link createPace}. */
interface PaceOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** Ends every wait. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a function that resolves at most `perSecond` times per second. The first call resolves at once. */
function createPace({ clock, perSecond, signal }: PaceOptions): () => Promise<void> {
  const intervalMs = 1_000 / perSecond;
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    const waitMs = last + intervalMs - clock.elapsed();
    if (waitMs > 0) await sleep(waitMs, clock, signal);
    last = clock.elapsed();
  };
}

/**
 * Checks the filter of a bulk redrive.
 *
 * Throws `INVALID_OPTION`.
 */
function readFilter(context: OperatorContext, filter: RedriveFilter): ReadMembers<Filter> {
  if (!isObject(filter))
    throw invalidOption("filter", "the id of an operation, or a filter such as `{ definition }`", filter);
  const read = readOptions(filter, filterTable(context), "operator.redrive");
  const { internal: _, ...narrowing } = read;
  if (Object.values(narrowing).some((value) => value !== undefined)) return read;
  throw misuse(
    "The filter of operator.redrive is empty, which would run every failed operation again. Pass at least one of " +
      "definition, tenant, principal, errorType, message, createdFrom and createdBefore.",
  );
}
