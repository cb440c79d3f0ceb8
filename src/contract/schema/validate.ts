import { contractViolation } from "../contract-violation.js";
import { AsyncReplyError } from "../errors.js";
import { toFragmentPointer } from "../json/fragment-pointer.js";
import { adoptPromise } from "../promises.js";
import type { Violation } from "../violation.js";
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
