import { AsyncReplyError } from "../contract/errors.js";
import { isObject } from "../contract/options.js";
import { PROBLEM_NAMES } from "../contract/problem.js";
import { notFound } from "../http/message/refusals.js";
import type { OperatorCancelResult } from "../operator/cancel.js";
import type { OperationDetails } from "../operator/details.js";
import type { FailureFilter, Failures } from "../operator/failures.js";
import type { OperationPage } from "../operator/list.js";
import type { Operator } from "../operator/operator.js";
import type { OperationOutput } from "../operator/output.js";
import type { RedriveFilter, RedrivePreview, RedriveRun } from "../operator/redrive-many.js";
import type { OperatorRedriveResult } from "../operator/redrive-one.js";
import { actorOf, type Call, type ConsoleContext } from "./context.js";
import { readRecent } from "./series.js";
import { summaryOf } from "./summary.js";
import type { Changed, Overview, Payload } from "./wire.js";
import { hasWords, hasWordsOf, wordsIn } from "./words.js";

/** Types of problems that can end an operation. Others only refuse requests. */
const ERROR_TYPES: readonly string[] = PROBLEM_NAMES.slice(PROBLEM_NAMES.indexOf("work-failed"));

/** Reads the statistics, and what the caller and the back end can do. */
export async function readOverview(context: ConsoleContext, call: Call): Promise<Overview> {
  const { operator } = context;
  const { definitions, settings } = operator;
  const [stats, recent] = await Promise.all([operator.stats(), readRecent(context, call)]);
  return {
    operates: call.caller.access === "operate",
    live: operator.watch !== undefined,
    definitions,
    settings,
    errorTypes: ERROR_TYPES,
    stats,
    ...recent,
  };
}

const PAGE = 50;
/** Number of operations that one page looks through for words. */
const PAGE_TO_SEARCH = 500;
const GROUPS = 100;
const MAX_GROUPS = 1_000;
const FILTERS = ["definition", "tenant", "principal", "errorType", "message", "createdFrom", "createdBefore"];

/** Reads a page of operations. With words, it can be short or empty although later pages have more. The operator checks the filter. */
export async function readList({ operator }: ConsoleContext, { query }: Call): Promise<OperationPage> {
  const filter = filterOf(query, [...FILTERS, "status", "cursor"]);
  const words = wordsIn(query.get("words"));
  if (words.length === 0) return operator.list({ ...filter, limit: PAGE });
  const page = await operator.list({ ...filter, limit: PAGE_TO_SEARCH });
  return { ...page, operations: page.operations.filter((operation) => hasWordsOf(operation, words)) };
}

/** Reads failed operations in groups, those that have the words. The operator checks the filter. */
export async function readFailures({ operator }: ConsoleContext, { query }: Call): Promise<Failures> {
  const words = wordsIn(query.get("words"));
  const { groups, complete } = await operator.failures({ ...filterOf(query, FILTERS), limit: MAX_GROUPS });
  const found = groups.filter((group) => hasWords(group, words));
  return { groups: found.slice(0, GROUPS), complete: complete && found.length <= GROUPS };
}

function filterOf(query: URLSearchParams, names: readonly string[]): FailureFilter {
  const given = Object.fromEntries(names.map((name) => [name, query.get(name) || undefined]));
  const redriven = query.get("open") === "true" ? { redriven: false } : {};
  return { ...withDates(given), ...redriven, internal: query.get("internal") === "true" };
}

/** Turns the times of a filter into dates. The operator refuses everything that is not a time. */
function withDates<Filter extends object>(filter: Filter): Filter {
  const dates = Object.entries(filter).map(([name, value]) => [
    name,
    typeof value === "string" && ["createdFrom", "createdBefore"].includes(name) ? new Date(value) : value,
  ]);
  return Object.fromEntries(dates);
}

/** Reads the payloads of an operation. */
export async function readPayload({ operator }: ConsoleContext, { operationId }: Call): Promise<Payload> {
  const { input, result, progress, resource, meta } = await find(operator, operationId);
  return { input, result, progress, resource, meta };
}

/** Reads the end of an output, or what follows an earlier part. The operator checks the position. */
export async function readOutput(
  { operator }: ConsoleContext,
  { operationId, query }: Call,
): Promise<OperationOutput> {
  const found = await operator.output(operationId, { from: query.get("from") ?? undefined });
  if (found === undefined) throw notFound();
  return found;
}

/** Returns an operation, which must exist. */
export async function find(operator: Operator, operationId: string): Promise<OperationDetails> {
  const found = await operator.get(operationId);
  if (found === undefined) throw notFound();
  return found;
}

/** Cancels an operation. */
export async function cancel(
  { operator }: ConsoleContext,
  call: Call,
): Promise<Changed<OperatorCancelResult>> {
  return toChanged(await operator.cancel(call.operationId, actorOf(call)));
}

/** Runs a failed operation again. */
export async function redrive(
  { operator }: ConsoleContext,
  call: Call,
): Promise<Changed<OperatorRedriveResult>> {
  return toChanged(await operator.redrive(call.operationId, actorOf(call)));
}

function toChanged<Result extends OperatorCancelResult | OperatorRedriveResult>({
  outcome,
  operation,
}: Result): Changed<Result> {
  return operation === undefined ? { outcome } : { outcome, operation: summaryOf(operation) };
}

/**
 * Number of operations that one request runs again, at 10 per second. The page sends one request after the other, so
 * closing it stops the redrive, and no process has to remember anything.
 */
const REDRIVES = 10;

/** Counts the failed operations that match a filter, or runs the next of them again. The operator checks the filter. */
export function redriveMany({ operator }: ConsoleContext, call: Call): Promise<RedrivePreview | RedriveRun> {
  const { body, signal } = call;
  const { filter, dryRun = false, cursor } = (isObject(body) ? body : {}) as Partial<RedriveBody>;
  if (!isObject(filter) || typeof dryRun !== "boolean")
    throw new AsyncReplyError("MALFORMED_BODY", "Expected `{ filter }`, with `dryRun` or `cursor`.");
  if (dryRun) return operator.redrive(withDates(filter), { dryRun });
  const pace = { limit: REDRIVES, perSecond: REDRIVES };
  return operator.redrive(withDates(filter), { cursor, signal, ...pace, ...actorOf(call) });
}

/** Pauses or resumes a definition. The operator checks its name. */
export async function changePause({ operator }: ConsoleContext, call: Call): Promise<object> {
  const { body } = call;
  const { definition, paused } = (isObject(body) ? body : {}) as Partial<PauseBody>;
  if (typeof definition !== "string" || typeof paused !== "boolean")
    throw new AsyncReplyError("MALFORMED_BODY", "Expected `{ definition, paused }`.");
  if (paused) await operator.pause(definition, actorOf(call));
  else await operator.resume(definition, actorOf(call));
  return {};
}

interface PauseBody {
  readonly definition: string;
  readonly paused: boolean;
}

interface RedriveBody {
  readonly filter: RedriveFilter;
  readonly dryRun: boolean;
  readonly cursor: string;
}
