import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { toJsonText } from "../../contract/json/json-text.js";
import type { JsonText, Operation, Settlement } from "../../contract/operation.js";
import { misuse, type OptionTable, readOptions, shown } from "../../contract/options.js";
import { validateAs, validateNow } from "../../contract/schema.js";
import { MAX_TIMER_MS } from "../../contract/timers.js";
import type { DeliveryAttempt } from "../../ports/webhooks.js";
import type { CheckedProcessor } from "../processors.js";
import type { Job } from "./job.js";
import type { Checkpoints, Writes } from "./output/job-members.js";

/** The parts of a job that are created on first use, or only for some definitions. */
type Lazy = Pick<Job, "signal" | "progress" | "transaction" | "release"> & { readonly output: Members };

type Members = Writes<unknown> & Checkpoints<unknown, unknown>;

/**
 * The job of one attempt. It is a class because V8 keeps an object literal with an accessor, and with it the whole
 * attempt, until the next full collection.
 */
export class AttemptJob implements Job, Members, DeliveryAttempt {
  readonly operationId: string;
  readonly tenant: string;
  readonly principal: string | undefined;
  readonly attempt: number;
  readonly createdAt: number;
  readonly #lazy: Lazy;

  constructor({ id, tenant, principal, attempt, createdAt }: Operation, lazy: Lazy) {
    this.operationId = id;
    this.tenant = tenant;
    this.principal = principal;
    this.attempt = attempt;
    this.createdAt = createdAt;
    this.#lazy = lazy;
  }

  get signal(): AbortSignal {
    return this.#lazy.signal;
  }

  get progress(): Job["progress"] {
    return this.#lazy.progress;
  }

  get transaction(): Job["transaction"] {
    return this.#lazy.transaction;
  }

  get release(): Job["release"] {
    return this.#lazy.release;
  }

  get write(): Members["write"] {
    return this.#lazy.output.write;
  }

  get pipe(): Members["pipe"] {
    return this.#lazy.output.pipe;
  }

  get resumed(): unknown {
    return this.#lazy.output.resumed;
  }

  get checkpoint(): Members["checkpoint"] {
    return this.#lazy.output.checkpoint;
  }
}

/** Shortest delay of a release: an attempt and its release write twice, so a loop writes once per second. */
const MIN_RELEASE_MS = 2_000;

const RELEASE_OPTIONS: OptionTable<{ readonly afterMs: number }> = {
  afterMs: (value = MIN_RELEASE_MS, name) => {
    const afterMs = value as number;
    if (Number.isSafeInteger(afterMs) && afterMs >= MIN_RELEASE_MS && afterMs <= MAX_TIMER_MS) return afterMs;
    throw misuse(
      `Option \`${name}\` of job.release is ${shown(value)}. Pass whole milliseconds from ${MIN_RELEASE_MS} to ` +
        `${MAX_TIMER_MS}, because each release costs the store two writes.`,
    );
  },
};

/**
 * Returns the error that releases an operation.
 *
 * Throws `INVALID_OPTION`.
 */
export function toRelease(options: object = {}): AsyncReplyError {
  const { afterMs } = readOptions(options, RELEASE_OPTIONS, "job.release");
  const context = { retryAfterMs: afterMs, countAttempt: false } as const;
  return new AsyncReplyError("RETRY_LATER", "The processor released the operation.", context);
}

/**
 * Checks a result and returns the settlement that completes the operation with it. Returns a promise only if the schema is
 * asynchronous.
 *
 * Throws `INVALID_RESULT`. A promise rejects with the same.
 */
export function toCompletion(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): Settlement | Promise<Settlement> {
  refuseReturnedError(value);
  const result = schema === undefined ? value : validateAs("INVALID_RESULT", schema, value);
  return result instanceof Promise
    ? result.then((checked) => completed(checked, settings))
    : completed(result, settings);
}

/** Does the same as {@link toCompletion} within a synchronous transaction. */
export function toCompletionNow(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): Settlement {
  refuseReturnedError(value);
  const reason = "On this back end, `job.transaction` checks the result within the transaction.";
  const result = schema === undefined ? value : validateNow(schema, value, "result", reason);
  return completed(result, settings);
}

/** As a result, an error such as `permanentFailure()` would complete the operation. */
function refuseReturnedError(value: unknown): void {
  if (!isAsyncReplyError(value)) return;
  const detail = `The processor returned the error ${value.code}. Throw it instead of returning it.`;
  throw new AsyncReplyError("INVALID_RESULT", detail, { cause: value });
}

function completed(
  result: unknown,
  { maxResultBytes }: Pick<CheckedProcessor["settings"], "maxResultBytes">,
): Settlement {
  return result === undefined
    ? { to: "completed" }
    : { to: "completed", result: toJsonText(result, maxResultBytes) };
}

/**
 * Returns the stored form of reported progress, or the error that says why this value cannot be stored.
 *
 * Throws `INVALID_RESULT` if the schema is asynchronous, and what a broken schema throws.
 */
export function toProgress(
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
