import { messageOf } from "../operator/message-of.js";
import type { OperationSummary } from "../operator/summary.js";

/** Maximum number of words of a search. More would only narrow it further. */
const MAX_WORDS = 20;

/** Returns the words of a search in lower case. */
export function wordsIn(text: string | null): readonly string[] {
  const words = (text ?? "").toLowerCase().split(/\s+/);
  return words.filter((word) => word !== "").slice(0, MAX_WORDS);
}

/** A failure, or a group of them. */
interface Reason {
  readonly definition: string;
  readonly errorType?: string | undefined;
  readonly message: string;
}

/** Returns whether the reason of a failure has all of these words, in any order and case. */
export function hasWords({ definition, errorType = "", message }: Reason, words: readonly string[]): boolean {
  const text = `${definition} ${errorType} ${message}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns whether an operation failed, or is retried, for a reason that has all of these words. */
export function hasWordsOf(operation: OperationSummary, words: readonly string[]): boolean {
  const { definition, error, lastError } = operation;
  const message = messageOf({ error, lastError }) ?? lastError?.detail ?? "";
  return hasWords({ definition, errorType: error?.name, message }, words);
}
