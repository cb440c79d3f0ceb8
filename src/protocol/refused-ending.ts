import { type AttemptError, addAttemptError } from "../contract/attempt-errors.js";
import { isAsyncReplyError } from "../contract/errors.js";
import { parseStored } from "../contract/json/json-text.js";
import type { JsonText, Operation, Settlement } from "../contract/operation.js";
import { operationError, type Problem } from "../contract/problem.js";

/**
 * Returns the settlements to try in this order if the store has refused the data of one and would refuse it again. Each
 * contains less of what this attempt produced, so the store gets as much as it can keep. Delays and counts stay the same.
 * Empty if there is no other.
 */
export function insteadOf(
  refused: Settlement,
  operation: Pick<Operation, "lastError">,
): readonly Settlement[] {
  if (refused.to === "prepared") {
    const error = operationError("invalid-result", "The store refused the resource, so no work was done.");
    return [{ to: "failed", error }];
  }
  const { progress, ...plain } = refused;
  const others: Settlement[] = progress === undefined ? [] : [plain];
  if (plain.to === "completed") {
    const error = operationError("invalid-result", "The work was done, but the store refused its result.");
    return [...others, { to: "failed", error }];
  }
  const lastError = plain.lastError && withoutText(plain.lastError, operation);
  const noted = lastError === undefined ? plain : { ...plain, lastError };
  if (lastError !== undefined) others.push(noted);
  if (noted.to === "failed") others.push({ ...noted, error: withoutDetail(noted.error) });
  return others;
}

/** Whether an error of a store says that it refuses the data, so that it would refuse them again. */
export function isRefused(error: unknown): boolean {
  const code = isAsyncReplyError(error) ? error.code : undefined;
  return code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED";
}

/** Replaces the text of the latest error. Those of earlier attempts come from the store. */
function withoutText(lastError: JsonText, operation: Pick<Operation, "lastError">): JsonText {
  const latest = parseStored(lastError) as Problem & AttemptError;
  return addAttemptError(operation.lastError, {
    ...latest,
    detail: "The store refused the text of this error.",
  });
}

function withoutDetail(error: JsonText): JsonText {
  const failure = parseStored(error) as Problem;
  return JSON.stringify({ ...failure, detail: "The work failed, but the store refused the reason." });
}
