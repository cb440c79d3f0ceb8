import { AsyncReplyError } from "./errors.js";
import type { Violation } from "./problem.js";

/**
 * Creates the error for a body that violates the contract. Only the client gets the violations. The message, and so
 * events and logs, has the descriptions instead.
 *
 * @param descriptions Places and expectations, without any value or name from the body.
 */
export function contractViolation(
  detail: string,
  violations: readonly Violation[],
  descriptions: readonly string[] = violations.map(({ pointer, detail: text }) => `${pointer}: ${text}`),
): AsyncReplyError {
  return new AsyncReplyError("CONTRACT_VIOLATION", detail, {
    violations,
    eventDetail: summarize(violations.length, descriptions),
  });
}

/** Number of descriptions in a message. */
const MAX_DESCRIBED = 5;

function summarize(count: number, descriptions: readonly string[]): string {
  const shown = descriptions.slice(0, MAX_DESCRIBED);
  const more = descriptions.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return `${count} ${count === 1 ? "violation" : "violations"}: ${list}.`;
}
