import { AsyncReplyError } from "../../contract/errors.js";
import { isObject } from "../../contract/options.js";
import type { RedriveFilter, RedrivePreview, RedriveRun } from "../../operator/redrive/redrive-options.js";
import type { CancelOutcome, RedriveResult } from "../../ports/operation-store.js";
import type { Call, ConsoleContext } from "../context.js";

/**
 * Number of operations that one request runs again, at 10 per second. The page sends one request after the other, so
 * closing it stops the redrive, and no process has to remember anything.
 */
const REDRIVES = 10;

/** Cancels an operation. */
export async function cancel(
  { operator }: ConsoleContext,
  { id }: Call,
): Promise<{ readonly outcome: CancelOutcome }> {
  return { outcome: await operator.cancel(id) };
}

/** Runs a failed operation again. */
export function redrive({ operator }: ConsoleContext, { id }: Call): Promise<RedriveResult> {
  return operator.redrive(id);
}

/** Counts the failed operations that match a filter, or runs the next of them again. The operator checks the filter. */
export function redriveMany(
  { operator }: ConsoleContext,
  { body, signal }: Call,
): Promise<RedrivePreview | RedriveRun> {
  const { filter, dryRun, cursor } = readBody(body);
  if (dryRun === true) return operator.redrive(filter, { dryRun });
  return operator.redrive(filter, { cursor, signal, limit: REDRIVES, perSecond: REDRIVES });
}

interface RedriveBody {
  readonly filter: RedriveFilter;
  readonly dryRun?: boolean;
  readonly cursor?: string;
}

function readBody(body: unknown): RedriveBody {
  const { filter, dryRun = false } = isObject(body) ? (body as Partial<RedriveBody>) : {};
  if (isObject(filter) && typeof dryRun === "boolean") return body as RedriveBody;
  throw new AsyncReplyError("MALFORMED_BODY", "Expected `{ filter }`, with `dryRun` or `cursor`.");
}
