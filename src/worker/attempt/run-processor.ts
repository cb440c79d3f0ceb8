import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { parseStored, toJsonText } from "../../contract/json/json-text.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import { type StandardSchema, validate, validateAs, withCode } from "../../contract/schema.js";
import type { BegunAttempt } from "../../ports/queue.js";
import { eventAbout, reportError, type WorkerContext } from "../context.js";
import type { CheckedProcessor } from "../processors.js";
import { type Ending, endingOf } from "./ending.js";
import type { Job } from "./job.js";
import { completed, createJobTransaction, type JobTransaction, withProgress } from "./job-transaction.js";
import type { LazyAbort } from "./supervise.js";
import { supervise } from "./supervise.js";

/** Runs the processor of an attempt that has begun, under supervision. Returns how the attempt ended. Never rejects. */
export async function runProcessor(
  processor: CheckedProcessor,
  { lease, begun: { operation } }: BegunAttempt,
  context: WorkerContext,
): Promise<Ending> {
  const supervision = supervise(lease, processor.settings, context);
  const call: Call = { raised: [], transaction: undefined, dropped: false, over: false };
  // Created on first use: few processors use it, and its functions take as long to create as the rest of the attempt.
  const transaction = (): JobTransaction =>
    createJobTransaction({
      backend: context.backend,
      lease,
      supervision,
      toStored: (value) => toStored(processor, value),
      toStoredNow: (value) => toStoredNow(processor, value),
      onRaise: (error) => call.raised.push(error),
      isOver: () => call.over,
      onLate: (error) => reportError(context, "after-transaction", error),
    });
  const progress = (value: unknown): void => {
    try {
      const stored = toProgress(processor, value);
      if (typeof stored === "string") supervision.lease.progress(stored);
      else reportDropped(context, operation, call, stored);
    } catch (error) {
      call.raised.push(error);
      throw error;
    }
  };
  const job = new AttemptJob(operation, supervision.job, progress, () => {
    call.transaction ??= transaction();
    return call.transaction.run;
  });
  let ending: Ending;
  try {
    ending = await supervision.untilInterrupted(callProcessor(processor, operation, job, call));
  } catch (error) {
    const committed = call.transaction?.committed();
    if (committed !== undefined) reportError(context, "after-transaction", error);
    ending = committed ?? endingOf(error, operation, processor.settings, context.runtime.clock.now());
  }
  const unwritten = supervision.end();
  if (unwritten === undefined || ending.settlement === undefined || ending.settled !== undefined)
    return ending;
  return { ...ending, settlement: withProgress(ending.settlement, unwritten) };
}

/** State of one call of a processor. */
interface Call {
  /** Errors that its job has thrown. */
  readonly raised: unknown[];
  transaction: JobTransaction | undefined;
  /** Whether progress has been dropped. */
  dropped: boolean;
  /** Whether the processor has returned. */
  over: boolean;
}

async function callProcessor(
  processor: CheckedProcessor,
  { input }: Operation,
  job: Job,
  call: Call,
): Promise<Ending> {
  const output = await validateAs("INPUT_REFUSED", processor.definition.input, parseStored(input));
  let value: unknown;
  try {
    value = await processor.run(output, job);
  } catch (error) {
    call.over = true;
    await call.transaction?.end();
    throw call.raised.includes(error) ? error : ofProcessor(error);
  }
  call.over = true;
  const ending = call.transaction?.end();
  const unfinished = ending && (await ending);
  if (unfinished !== undefined) throw unfinished;
  return call.transaction?.committed() ?? { settlement: completed(await toStored(processor, value)) };
}

/**
 * Wraps an AsyncReplyError that this attempt did not cause, so that it counts as an ordinary failure. Such an error
 * can arrive through a promise that several attempts share. Users throw only `permanentFailure` and `retryLater`
 * themselves.
 */
function ofProcessor(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.code === "PERMANENT_FAILURE" || error.code === "RETRY_LATER")
    return error;
  const detail = `The processor threw ${error.code}, which this attempt did not cause.`;
  return new AsyncReplyError("INTERNAL", detail, { cause: error });
}

async function toStored(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): Promise<JsonText | undefined> {
  const result = schema === undefined ? value : await validateAs("INVALID_RESULT", schema, value);
  return result === undefined ? undefined : toJsonText(result, settings.maxResultBytes);
}

/** Does the same as {@link toStored} within a synchronous transaction. */
function toStoredNow(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText | undefined {
  const reason = "On this back end, `job.transaction` checks the result within the transaction.";
  const result = schema === undefined ? value : validateNow(schema, value, "result", reason);
  return result === undefined ? undefined : toJsonText(result, settings.maxResultBytes);
}

/**
 * Returns the stored form of reported progress, or the error that says why this value cannot be stored.
 *
 * Throws `INVALID_RESULT` if the schema is asynchronous, and what a broken schema throws.
 */
function toProgress(
  { definition: { progress: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText | AsyncReplyError {
  const reason = "`job.progress` returns no promise.";
  let progress = value;
  try {
    if (schema !== undefined) progress = validateNow(schema, value, "progress", reason);
  } catch (error) {
    // Without violations, the schema did not judge the value.
    if (isAsyncReplyError(error) && error.context.violations !== undefined) return error;
    throw error;
  }
  try {
    return toJsonText(progress, settings.maxResultBytes);
  } catch (error) {
    return error as AsyncReplyError;
  }
}

/** Reports the first value of an attempt that was dropped. A processor may report thousands. */
function reportDropped(
  { observe }: WorkerContext,
  operation: Operation,
  call: Call,
  error: AsyncReplyError,
): void {
  if (call.dropped) return;
  call.dropped = true;
  observe({ event: "progress.dropped", ...eventAbout(operation), error });
}

function validateNow(
  schema: StandardSchema,
  value: unknown,
  name: "progress" | "result",
  reason: string,
): unknown {
  let checked: unknown;
  try {
    checked = validate(schema, value);
  } catch (error) {
    throw withCode("INVALID_RESULT", error);
  }
  if (!(checked instanceof Promise)) return checked;
  checked.catch(() => {});
  throw new AsyncReplyError("INVALID_RESULT", `The ${name} schema must be synchronous. ${reason}`);
}

/**
 * The job of one attempt. It is a class because V8 keeps an object literal with an accessor, and with it the whole
 * attempt, until the next full collection.
 */
class AttemptJob implements Job {
  readonly operationId: string;
  readonly tenant: string;
  readonly principal: string | undefined;
  readonly attempt: number;
  readonly progress: Job["progress"];
  readonly #abort: Pick<LazyAbort, "signal">;
  readonly #transaction: () => Job["transaction"];

  constructor(
    { id, tenant, principal, attempt }: Operation,
    abort: Pick<LazyAbort, "signal">,
    progress: Job["progress"],
    transaction: () => Job["transaction"],
  ) {
    this.operationId = id;
    this.tenant = tenant;
    this.principal = principal;
    this.attempt = attempt;
    this.progress = progress;
    this.#abort = abort;
    this.#transaction = transaction;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get transaction(): Job["transaction"] {
    return this.#transaction();
  }
}
