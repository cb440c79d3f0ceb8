import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../core/errors.js";
import { toJsonText } from "../core/json-text.js";
import type { JsonText, Operation, Settlement } from "../core/operation.js";
import { operationError, type ProblemName } from "../core/problem.js";
import type { StandardSchema } from "../core/standard-schema.js";
import { validate } from "../core/validate.js";
import type { Backend } from "../ports/backend.js";
import type { Lease, SettleResult } from "../ports/operation-store.js";
import type { Job, Processor } from "./job.js";
import { completed, createJobTransaction, type JobTransaction } from "./job-transaction.js";
import type { WorkerSettings } from "./settings.js";
import { type SuperviseOptions, supervise } from "./supervise.js";

/** A definition and the processor of its operations. */
export interface Work {
  readonly definition: OperationDefinition;
  readonly processor: Processor<unknown>;
}

/** How an attempt ended; without a settlement where its lease is somebody else's. */
export interface Ending {
  readonly settlement?: Settlement;
  readonly error?: unknown;
  /** Where the store has answered already. */
  readonly settled?: SettleResult;
}

/** What all attempts of a worker are run with. */
export interface AttemptOptions extends SuperviseOptions {
  readonly backend: Backend;
  readonly settings: WorkerSettings;
}

/** Runs one attempt that has begun, under supervision, and says how it ended. Never rejects. */
export async function runAttempt(
  work: Work,
  operation: Operation,
  lease: Lease,
  options: AttemptOptions,
): Promise<Ending> {
  const { backend, settings, onError } = options;
  const supervision = supervise(lease, options);
  const transaction = createJobTransaction({
    backend,
    lease,
    abandoning: supervision.abandoning,
    toStored: (value) => toStored(work.definition, value, settings),
    // From here on the token decides: a renewal would take the end of the operation for the loss of its lease.
    onSettling: supervision.renewNoMore,
  });
  const job: Job = {
    operationId: operation.id,
    scope: operation.scope,
    attempt: operation.attempt,
    get signal() {
      return supervision.job.signal;
    },
    progress: (value) => supervision.progress(toJsonText(value, settings.maxResultBytes)),
    transaction: transaction.run,
  };
  try {
    return await supervision.untilInterrupted(process(work, operation, job, transaction, settings));
  } catch (error) {
    const committed = transaction.committed();
    if (committed === undefined) return endingOf(error, operation, settings);
    onError("after-transaction", error);
    return committed;
  } finally {
    supervision.end();
  }
}

/** The ending of an operation whose attempts are used up: by attempts that were lost, since nobody settled them. */
export function exhausted({ maxAttempts }: WorkerSettings, error?: unknown): Ending {
  const detail = `The work did not succeed in ${maxAttempts} attempts.`;
  return { settlement: { to: "failed", error: operationError("attempts-exhausted", detail) }, error };
}

async function process(
  { definition, processor }: Work,
  { input }: Operation,
  job: Job,
  transaction: JobTransaction,
  settings: WorkerSettings,
): Promise<Ending> {
  const value = await processor(await validateStored(definition, input), job);
  return transaction.committed() ?? { settlement: completed(await toStored(definition, value, settings)) };
}

async function toStored(
  { result: schema }: OperationDefinition,
  value: unknown,
  { maxResultBytes }: WorkerSettings,
): Promise<JsonText | undefined> {
  const result = schema === undefined ? value : await checked("INVALID_RESULT", schema, value);
  return result === undefined ? undefined : toJsonText(result, maxResultBytes);
}

/**
 * The schema's output for a stored input. It is stored as the client sent it, so that the schema of this version judges it again.
 *
 * @throws AsyncReplyError `INPUT_REFUSED`
 */
export function validateStored({ input }: OperationDefinition, stored: JsonText): Promise<unknown> {
  return checked("INPUT_REFUSED", input, JSON.parse(stored));
}

async function checked(code: ErrorCode, schema: StandardSchema, value: unknown): Promise<unknown> {
  try {
    return await validate(schema, value);
  } catch (cause) {
    const violations = (isAsyncReplyError(cause) && cause.context.violations) || [];
    const detail = violations.map((violation) => `${violation.pointer} ${violation.detail}`).join("; ");
    throw new AsyncReplyError(code, detail, { cause });
  }
}

/** Failures that another attempt would not mend, with what the client may know of them. */
const PERMANENT: Partial<
  Record<ErrorCode, { readonly problem: ProblemName; readonly lead: string; readonly hidden?: true }>
> = {
  PERMANENT_FAILURE: { problem: "work-failed", lead: "" },
  INPUT_REFUSED: { problem: "input-refused", lead: "The contract has changed since this was submitted: " },
  INVALID_RESULT: { problem: "invalid-result", lead: "The result of the work cannot be kept: " },
  NO_TRANSACTIONS: { problem: "work-failed", lead: "This service cannot do the work.", hidden: true },
};

/** What an error means for the operation, in the state it was in when the attempt began. */
function endingOf(error: unknown, { attempt }: Operation, settings: WorkerSettings): Ending {
  const { code, detail } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "LEASE_LOST") return { error };
  if (code === "WORKER_STOPPED")
    return { settlement: { to: "retry", delayMs: 0, countAttempt: false }, error };
  const failure = code === undefined ? undefined : PERMANENT[code];
  if (failure !== undefined) {
    const text = `${failure.lead}${failure.hidden ? "" : detail}`.slice(0, MAX_DETAIL_LENGTH);
    return { settlement: { to: "failed", error: operationError(failure.problem, text) }, error };
  }
  if (attempt >= settings.maxAttempts) return exhausted(settings, error);
  return { settlement: { to: "retry", delayMs: settings.backoffMs(attempt), countAttempt: true }, error };
}

/** Keeps the `error` of an operation below 64 KiB in any encoding. */
const MAX_DETAIL_LENGTH = 10_000;
