import { AsyncReplyError, type Violation } from "./errors.js";
import { toFragmentPointer } from "./json-pointer.js";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";

/**
 * Checks a value against a schema and returns the schema's output. All violations are reported at once, each with a
 * pointer (RFC 9457 §3).
 *
 * @throws AsyncReplyError `CONTRACT_VIOLATION`
 */
export function validate<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Output | Promise<Output> {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then(unwrap) : unwrap(result);
}

function unwrap<Output>(result: StandardResult<Output>): Output {
  if (result.issues === undefined) return result.value;
  throw new AsyncReplyError(
    "CONTRACT_VIOLATION",
    "The body is well formed, but not what this operation accepts.",
    {
      violations: result.issues.flatMap(toViolations).slice(0, MAX_VIOLATIONS),
    },
  );
}

/** A hostile body must not make a reply that is larger than itself. */
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
