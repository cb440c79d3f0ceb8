import { contractViolation } from "../contract-violation.js";
import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "../errors.js";
import { toFragmentPointer } from "../json/fragment-pointer.js";
import type { Violation } from "../problem.js";
import { adoptPromise } from "../promises.js";
import { describeIssue } from "./describe-issue.js";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";

/**
 * Validates a value and returns the schema's output. Reports all violations at once, each with a pointer (RFC 9457
 * §3).
 *
 * Throws `CONTRACT_VIOLATION`. Throws `INTERNAL` if the validator returns neither an output nor issues.
 */
export function validate<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Output | Promise<Output> {
  const result = adoptPromise(schema["~standard"].validate(value));
  return result instanceof Promise ? result.then(unwrap) : unwrap(result);
}

/**
 * Returns the output only if the result says that the value is valid. A broken validator must not let anything
 * through.
 */
function unwrap<Output>(result: StandardResult<Output> | undefined): Output {
  const { issues } = result ?? {};
  if (Array.isArray(issues)) {
    const violations = issues.flatMap(toViolations).slice(0, MAX_VIOLATIONS);
    const detail = "The body is well formed, but not what this operation accepts.";
    throw contractViolation(detail, violations, issues.slice(0, MAX_VIOLATIONS).map(describeIssue));
  }
  if (typeof result === "object" && result !== null && issues === undefined && "value" in result)
    return result.value;
  const detail = "The validator returned neither `value` nor `issues`, which Standard Schema requires.";
  throw new AsyncReplyError("INTERNAL", detail);
}

/** Maximum number of violations in a reply, so that a hostile body cannot cause a huge reply. */
const MAX_VIOLATIONS = 100;

function toViolations(issue: StandardIssue): Violation[] {
  const path = (issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment));
  // zod reports all unknown members of an object as one issue at the object itself.
  const { code, keys } = issue as { code?: unknown; keys?: unknown };
  if (code === "unrecognized_keys" && Array.isArray(keys)) {
    return keys.map((key) => ({
      pointer: toFragmentPointer([...path, String(key)]),
      detail: "is not a known member",
    }));
  }
  return [{ pointer: toFragmentPointer(path), detail: issue.message }];
}

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
