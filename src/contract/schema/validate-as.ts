import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../errors.js";
import type { StandardSchema } from "./standard-schema.js";
import { validate } from "./validate.js";

/**
 * Validates a value that is not a client's payload, such as stored input, a result, or progress.
 *
 * Throws `code` for violations, and passes on what a broken validator throws.
 */
export async function validateAs(code: ErrorCode, schema: StandardSchema, value: unknown): Promise<unknown> {
  try {
    return await validate(schema, value);
  } catch (cause) {
    throw withCode(code, cause);
  }
}

/**
 * Returns an error of `validate` with another code. If the schema itself threw, it did not judge the value, so its
 * error is returned unchanged.
 */
export function withCode(code: ErrorCode, cause: unknown): unknown {
  if (!isAsyncReplyError(cause) || cause.code !== "CONTRACT_VIOLATION") return cause;
  const { violations = [], eventDetail } = cause.context;
  const detail = violations.map((violation) => `${violation.pointer} ${violation.detail}`).join("; ");
  return new AsyncReplyError(code, detail, {
    eventDetail: `The value violates the contract. ${eventDetail}`,
    violations,
  });
}
