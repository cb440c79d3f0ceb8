import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { parseStored, toJsonText } from "../../contract/json/json-text.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import type { StandardSchema } from "../../contract/schema/standard-schema.js";
import { validate } from "../../contract/schema/validate.js";
import { validateAs, withCode } from "../../contract/schema/validate-as.js";
import type { BegunAttempt } from "../../ports/queue.js";
import { reportError, type WorkerContext } from "../context.js";
import type { CheckedProcessor } from "../processors.js";
import { type Ending, endingOf } from "../settle/ending.js";
import type { Job } from "./job.js";
import { completed, createJobTransaction, type JobTransaction } from "./job-transaction.js";
import { supervise } from "./supervise.js";

/** Runs one attempt that has begun, under supervision, and says how it ended. Never rejects. */
export async function runAttempt(
  processor: CheckedProcessor,
  { lease, begun: { operation } }: BegunAttempt,
  context: WorkerContext,
): Promise<Ending> {
  const supervision = supervise(lease, processor.settings, context);
  const call: Call = { raised: [], transaction: undefined, over: false };
  // Made when a processor asks for it: few do, and its functions take as long to make as the rest of an attempt's.
  const transaction = (): JobTransaction =>
    createJobTransaction({
      backend: context.backend,
      lease,
      supervision,
      toStored: (value) => toStored(processor, value),
      onRaise: (error) => call.raised.push(error),
      isOver: () => call.over,
      onLate: (error) => reportError(context, "after-transaction", error),
    });
  const job: Job = {
    operationId: operation.id,
    tenant: operation.tenant,
    attempt: operation.attempt,
    get signal() {
      return supervision.job.signal;
    },
    progress: (value) => {
      try {
        supervision.lease.progress(toProgress(processor, value));
      } catch (error) {
        call.raised.push(error);
        throw error;
      }
    },
    get transaction() {
      call.transaction ??= transaction();
      return call.transaction.run;
    },
  };
  try {
    return await supervision.untilInterrupted(process(processor, operation, job, call));
  } catch (error) {
    const committed = call.transaction?.committed();
    if (committed === undefined) return endingOf(error, operation, processor.settings);
    reportError(context, "after-transaction", error);
    return committed;
  } finally {
    supervision.end();
  }
}

/** What became of the call of a processor. */
interface Call {
  /** The errors that it got from its job. */
  readonly raised: unknown[];
  transaction: JobTransaction | undefined;
  /** Whether the processor has returned. */
  over: boolean;
}

async function process(
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
 * An error of ours says something of the attempt that it was made for. One that gets here by a promise which several
 * attempts share is about another attempt, so it counts as any other failure. Only `permanentFailure` and `retryLater` are the user's to throw.
 */
function ofProcessor(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.code === "PERMANENT_FAILURE" || error.code === "RETRY_LATER")
    return error;
  const detail = `The processor threw ${error.code}, which is not about this attempt.`;
  return new AsyncReplyError("INTERNAL", detail, { cause: error });
}

async function toStored(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): Promise<JsonText | undefined> {
  const result = schema === undefined ? value : await validateAs("INVALID_RESULT", schema, value);
  return result === undefined ? undefined : toJsonText(result, settings.maxResultBytes);
}

/** @throws AsyncReplyError `INVALID_RESULT` */
function toProgress(
  { definition: { progress: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText {
  return toJsonText(schema === undefined ? value : checkedProgress(schema, value), settings.maxResultBytes);
}

function checkedProgress(schema: StandardSchema, value: unknown): unknown {
  let checked: unknown;
  try {
    checked = validate(schema, value);
  } catch (error) {
    throw withCode("INVALID_RESULT", error);
  }
  if (!(checked instanceof Promise)) return checked;
  checked.catch(() => {});
  throw new AsyncReplyError("INVALID_RESULT", "A progress schema must be synchronous.");
}
