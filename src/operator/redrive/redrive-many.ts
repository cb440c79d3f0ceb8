import type { ListedOperation, ListRequest } from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import { toCursor } from "../../protocol/list-cursor.js";
import type { OperatorContext } from "../context.js";
import { hasErrorType, toRequest } from "../filter.js";
import { readCursor } from "../list.js";
import { scan } from "../scan.js";
import { redrive } from "./redrive-one.js";
import {
  checkRedriveFilter,
  type RedriveFilter,
  type RedriveOptions,
  type RedrivePreview,
  type RedriveRun,
  type RedriveSettings,
  readRedriveOptions,
} from "./redrive-options.js";

/** Maximum number of failed operations that one call reads. */
const MAX_READ = 10_000;
const PAGE = 200;
const SAMPLE = 10;

/** Runs failed operations again: see `Operator.redrive`. */
export async function redriveMany(
  context: OperatorContext,
  filter: RedriveFilter,
  options: RedriveOptions = {},
): Promise<RedriveRun | RedrivePreview> {
  checkRedriveFilter(context, filter);
  const settings = readRedriveOptions(options);
  const scanned: Scanned = { filter, request: toFailedRequest(filter, options) };
  return options.dryRun === true ? preview(context, scanned) : run(context, scanned, settings);
}

/** The list to read, and the filter to apply to it. */
interface Scanned {
  readonly filter: RedriveFilter;
  readonly request: ListRequest;
}

async function preview(context: OperatorContext, { filter, request }: Scanned): Promise<RedrivePreview> {
  const sample: string[] = [];
  let count = 0;
  const next = await scan(context, { request, maxRead: MAX_READ }, (operation) => {
    if (!matches(filter, operation) || !isOpen(context, operation)) return true;
    count += 1;
    if (sample.length < SAMPLE) sample.push(operation.id);
    return true;
  });
  return { count, more: next !== undefined, sample };
}

async function run(
  context: OperatorContext,
  { filter, request }: Scanned,
  { limit, perSecond, signal }: RedriveSettings,
): Promise<RedriveRun> {
  signal?.throwIfAborted();
  const pace = createPace({ clock: context.runtime.clock, perSecond, signal });
  let [read, redriven, skipped] = [0, 0, 0];
  // At least one operation is read before a stop, so that there is a position to continue from.
  const isStopped = (): boolean => signal?.aborted === true && read > 1;
  const next = await scan(context, { request, maxRead: MAX_READ }, async (operation) => {
    read += 1;
    if (isStopped()) return false;
    if (!matches(filter, operation)) return true;
    const open = isOpen(context, operation);
    if (open && redriven === limit) return false;
    if (open) await pace();
    if (isStopped()) return false;
    if (open && (await runAgain(context, operation))) redriven += 1;
    else skipped += 1;
    return true;
  });
  await context.announcer.idle();
  return { redriven, skipped, ...(next === undefined ? {} : { cursor: toCursor(next) }) };
}

async function runAgain(context: OperatorContext, operation: ListedOperation): Promise<boolean> {
  const { result } = await redrive(context, operation);
  return result.outcome === "redriven" && result.created;
}

/** Leaves out cancelled operations unless `errorType` asks for them, because they are not failures to repair. */
function matches({ errorType }: RedriveFilter, operation: ListedOperation): boolean {
  return errorType === undefined ? !hasErrorType(operation, "cancelled") : hasErrorType(operation, errorType);
}

/** Returns whether an operation has not been redriven yet and the operator knows its definition. */
function isOpen({ names }: OperatorContext, { definition, retriedBy }: ListedOperation): boolean {
  return retriedBy === undefined && names.includes(definition);
}

function toFailedRequest(filter: RedriveFilter, { cursor }: RedriveOptions): ListRequest {
  const request = { ...toRequest(filter), state: "failed", limit: PAGE } as const;
  return cursor === undefined ? request : { ...request, after: readCursor(cursor) };
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
    // If the clock is set back, this must not wait longer.
    const waitMs = Math.min(last + intervalMs - clock.now(), intervalMs);
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    last = clock.now();
  };
}

function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(ms, end);
    function end(): void {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
  });
}
