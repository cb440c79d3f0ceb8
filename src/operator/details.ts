import { type AttemptError, attemptErrorsIn, MAX_ATTEMPT_ERRORS } from "../contract/attempt-errors.js";
import { parseStored } from "../contract/json/json-text.js";
import { type AttemptStart, readAttemptToken } from "../contract/operation.js";
import { present } from "../contract/options.js";
import { END } from "../contract/output.js";
import { type Problem, type ProblemName, problemType } from "../contract/problem.js";
import { toDate } from "../contract/visible-operation.js";
import type { InspectedOperation } from "../ports/operation-reads.js";
import type { OperatorContext } from "./context.js";
import { type OperationSummary, toSummary } from "./summary.js";

/** An operation with its payloads, which may be confidential. */
export interface OperationDetails extends OperationSummary {
  /** Input that the client submitted. */
  readonly input: unknown;
  /** Result that the processor returned. */
  readonly result?: unknown;
  /** Latest progress that the processor reported. */
  readonly progress?: unknown;
  /** Resource that was created before the reply: `{ body, location? }`. */
  readonly resource?: unknown;
  /** Metadata that the operation carries, such as trace context. */
  readonly meta?: unknown;
  /** The last attempts, at most 20, oldest first. Clients do not see them. */
  readonly attempts: readonly OperationAttempt[];
  /** When the operation is due next, or was due. Absent while an attempt runs, once it has ended, and if its store does not tell. */
  readonly dueAt?: Date;
  /** Id of the operation that is created when this one ends, such as the delivery of a webhook. */
  readonly followUpId?: string;
  /** `true` if `Operator.output` reads what the work writes. */
  readonly hasOutput?: true;
  /** When the work saved its last checkpoint. Absent without one. */
  readonly lastCheckpointAt?: Date;
}

/**
 * Returns an operation with its payloads, and what is known about its output.
 *
 * Throws `CORRUPT_RECORD`, `STORE_UNAVAILABLE`.
 */
export async function readDetails(
  { definitions, readOutput }: Pick<OperatorContext, "definitions" | "readOutput">,
  inspected: InspectedOperation,
): Promise<OperationDetails> {
  const { operation } = inspected;
  const details = toDetails(inspected);
  const definition = definitions.find(({ name }) => name === operation.definition);
  if (readOutput === undefined || definition === undefined) return details;
  const { chunk, checkpoint } = definition;
  const slice = checkpoint === undefined ? undefined : await readOutput(operation.id, END);
  const checkpointAt = slice?.checkpointAt;
  return {
    ...details,
    ...(chunk !== undefined && { hasOutput: true }),
    ...present({ lastCheckpointAt: checkpointAt === undefined ? undefined : toDate(checkpointAt) }),
  };
}

/**
 * Converts an operation with its payloads to its public form.
 *
 * Throws `CORRUPT_RECORD`.
 */
function toDetails(inspected: InspectedOperation): OperationDetails {
  const { operation, token, dueAt } = inspected;
  const { input, result, progress, resource, meta, onEnd } = operation;
  const texts = Object.entries(present({ result, progress, resource, meta }));
  return {
    ...toSummary(operation),
    input: parseStored(input),
    ...Object.fromEntries(texts.map(([name, text]) => [name, parseStored(text)])),
    attempts: attemptsOf(inspected),
    ...present({
      dueAt: token === undefined && dueAt !== undefined ? toDate(dueAt) : undefined,
      followUpId: onEnd?.id,
    }),
  };
}

/** One run of the work of an operation. All times are by the clock of its worker, unless the operation ended with it. */
export interface OperationAttempt {
  /** Number of the attempt. The first one is 1. An attempt that did not count has the same number as the next. */
  readonly attempt: number;
  /**
   * - `running`: it has not ended.
   * - `completed`: the operation completed.
   * - `failed`: it failed. The operation failed too, or is tried again.
   * - `cancelled`: the operation was cancelled while it ran.
   * - `lost`: its lease ended without a report, so its end is not known.
   */
  readonly outcome: "running" | "completed" | "failed" | "cancelled" | "lost";
  /** When it began. Absent if that is not known, as for most lost attempts. */
  readonly startedAt?: Date;
  /** When it ended. Absent if it runs or was lost. */
  readonly endedAt?: Date;
  /** Random id of the worker that ran it: 8 hexadecimal digits. Absent if that is not known. */
  readonly process?: string;
  /** Reason of its failure. May quote a payload, unless the worker keeps only the classes of errors. */
  readonly detail?: string;
}

/** Number of errors that workers of older versions keep. */
const MAX_OF_OLDER = 10;

/**
 * Returns the last attempts of an operation, at most 20, oldest first.
 *
 * Throws `CORRUPT_RECORD`.
 */
function attemptsOf(inspected: InspectedOperation): readonly OperationAttempt[] {
  const errors = attemptErrorsIn(inspected.operation.lastError).toReversed();
  const attempts: OperationAttempt[] = [];
  const [first] = errors;
  // Attempts before the first one were not lost if a worker of an older version has dropped their errors.
  const isCut = first?.startedAt === undefined && errors.length >= MAX_OF_OLDER;
  let next = isCut ? (first?.attempt ?? 1) : 1;
  for (const error of errors) {
    attempts.push(...lost(next, error.attempt), toFailed(error));
    next = Math.max(next, error.attempt + 1);
  }
  return [...attempts, ...latestOf(inspected, next)].slice(-MAX_ATTEMPT_ERRORS);
}

/** Returns the attempts that have left no error. `next` is the first of them. */
function latestOf(inspected: InspectedOperation, next: number): readonly OperationAttempt[] {
  const { operation, token, isDue } = inspected;
  const { attempt, state, settledAt, error, cancelRequested } = operation;
  const latest = (outcome: OperationAttempt["outcome"], detail?: string): readonly OperationAttempt[] => [
    ...lost(next, attempt),
    {
      ...{ attempt, outcome },
      ...toTimes({ ...readAttemptToken(token), at: settledAt }),
      ...present({ detail }),
    },
  ];
  const allLost = lost(next, attempt + 1);
  if (state === "completed") return latest("completed");
  if (state !== "failed") {
    if (!isOpen(inspected, next)) return allLost;
    return latest(isDue === true ? "lost" : "running");
  }
  const { type, detail }: Partial<Problem> = error === undefined ? {} : (parseStored(error) as Problem);
  const isOfType = (name: ProblemName): boolean => type === problemType(name);
  // The worker that found that no attempt is left has begun one more, which it did not run.
  if (isOfType("attempts-exhausted")) return lost(next, attempt);
  if (isOfType("cancelled")) return cancelRequested === true ? latest("cancelled") : allLost;
  return attempt < next ? [] : latest("failed", detail);
}

/** Returns whether an attempt of an unfinished operation has a lease. A store that does not tell may have one. */
export function isOpen({ operation, token, dueAt }: InspectedOperation, next: number): boolean {
  return dueAt === undefined ? operation.attempt >= next : token !== undefined;
}

function toFailed({ attempt, detail, ...times }: AttemptError): OperationAttempt {
  return { attempt, outcome: "failed", ...toTimes(times), detail };
}

function toTimes({
  startedAt,
  at,
  process,
}: Partial<AttemptStart> & { readonly at: number | undefined }): Partial<OperationAttempt> {
  return present({
    startedAt: startedAt === undefined ? undefined : toDate(startedAt),
    endedAt: at === undefined ? undefined : toDate(at),
    process,
  });
}

/** Returns the attempts from one number up to another, without it. They began and reported nothing. */
function lost(from: number, before: number): readonly OperationAttempt[] {
  const count = Math.max(0, before - from);
  return Array.from({ length: count }, (_, index) => ({ attempt: from + index, outcome: "lost" }));
}
