import { AsyncReplyError, isAsyncReplyError } from "./errors.js";
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

/**
 * Returns an error as events, logs and tracing channels contain it. Text that quotes a payload is only for the client:
 * the `detail`, if the error has another one for events, and the violations.
 */
export function withoutPayload(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, detail, context } = error;
  const { cause, violations, eventDetail } = context;
  if (eventDetail !== undefined) return new AsyncReplyError(code, eventDetail, { cause });
  // A format of a user may throw violations without a text for events.
  if (code !== "CONTRACT_VIOLATION") return error;
  return new AsyncReplyError(code, `${detail} ${violations?.length ?? 0} violations.`, { cause });
}
