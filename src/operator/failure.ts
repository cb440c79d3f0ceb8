import { parseStored } from "../contract/json/json-text.js";
import type { JsonText } from "../contract/operation.js";
import { PROBLEM_NAMES, type Problem, type ProblemName, shownProblem } from "../contract/problem.js";
import type { ListedOperation } from "../ports/operation-reads.js";
import { messageOf } from "./message-of.js";

/** Why an operation failed. */
export interface Failure {
  /** Absent if no part of this package wrote the error. */
  readonly errorType?: ProblemName;
  /** May be empty. */
  readonly message: string;
}

/**
 * Returns why an operation failed.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function failureOf(operation: Pick<ListedOperation, "error" | "lastError">): Failure {
  const error = problemIn(operation.error);
  const { name = "", title = "" } = error;
  const message = messageOf({ error, lastError: problemIn(operation.lastError) }) ?? title;
  return PROBLEM_NAMES.includes(name) ? { errorType: name as ProblemName, message } : { message };
}

function problemIn(stored: JsonText | undefined): Partial<Problem> {
  return stored === undefined ? {} : (shownProblem(parseStored(stored)) ?? {});
}
