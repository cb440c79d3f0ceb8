import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../errors.js";
import type { StandardSchema } from "./standard-schema.js";
import { validate } from "./validate.js";

/**
 * Validates a value that is not a client's payload: stored input, a result, or progress. Violations are reported with `code`.
 *
 * @throws AsyncReplyError with `code`, and what a broken validator throws
 */
export async function validateAs(code: ErrorCode, schema: StandardSchema, value: unknown): Promise<unknown> {
  try {
    return await validate(schema, value);
  } catch (cause) {
    throw withCode(code, cause);
  }
}

/** An error of `validate` with another code. A schema that throws has not judged the value, so its error stays what it is. */
export function withCode(code: ErrorCode, cause: unknown): unknown {
  if (!isAsyncReplyError(cause) || cause.code !== "CONTRACT_VIOLATION") return cause;
  const { violations = [] } = cause.context;
  const detail = violations.map((violation) => `${violation.pointer} ${violation.detail}`).join("; ");
  return new AsyncReplyError(code, detail, { eventDetail: "It violates the contract.", violations });
}
