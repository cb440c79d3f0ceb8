import { contractViolation } from "./contract-violation.js";
import { AsyncReplyError, type ErrorCode, isAsyncReplyError } from "./errors.js";
import { toFragmentPointer } from "./json/fragment-pointer.js";
import { adoptPromise } from "./options.js";
import type { Violation } from "./problem.js";

/**
 * Part of Standard Schema v1 (standardschema.dev) that this package uses. zod, valibot, arktype and others implement
 * it, so this package depends on none of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Members of the standard. Their unusual name does not collide with the validator's own members. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Returns the output, or what is wrong with the value. Does not throw for a refused value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, if the validator can describe itself. */
    readonly jsonSchema?:
      | {
          /** Describes the values that `validate` accepts. Throws if JSON Schema cannot express them. */
          readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
          /** Describes the values that `validate` returns. Throws if JSON Schema cannot express them. */
          readonly output?: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** Result of a validation: the output, or at least one issue. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** Message for the client. Becomes the `detail` of a violation. */
  readonly message: string;
  /** Keys from the root to the place of the issue. Absent if the issue is about the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Type of the values that a schema accepts. */
export type InferInput<S> = S extends StandardSchema<infer Input, infer _Output> ? Input : never;

/** Type of the output of a schema for a valid value. */
export type InferOutput<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

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

/** Returns the output only if the result says that the value is valid. A broken validator must let nothing through. */
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
 * Validates a value that is not a client's payload, such as stored input or a result. Returns a promise only if the
 * schema is asynchronous.
 *
 * Throws `code` for violations, and passes on what a broken validator throws. A promise rejects with the same.
 */
export function validateAs(code: ErrorCode, schema: StandardSchema, value: unknown): unknown {
  let output: unknown;
  try {
    output = validate(schema, value);
  } catch (cause) {
    throw withCode(code, cause);
  }
  if (!(output instanceof Promise)) return output;
  return output.catch((cause: unknown) => {
    throw withCode(code, cause);
  });
}

/**
 * Validates a value of user code where nothing can wait.
 *
 * Throws `INVALID_RESULT` for violations and if the schema is asynchronous, and passes on what a broken validator throws.
 *
 * @param reason Why the schema must be synchronous, as a sentence.
 */
export function validateNow(
  schema: StandardSchema,
  value: unknown,
  name: "progress" | "result" | "chunk",
  reason: string,
): unknown {
  const checked = validateAs("INVALID_RESULT", schema, value);
  if (!(checked instanceof Promise)) return checked;
  checked.catch(() => {});
  throw new AsyncReplyError("INVALID_RESULT", `The ${name} schema must be synchronous. ${reason}`);
}

/**
 * Returns an error of `validate` with another code. If the schema itself threw, it did not judge the value, so its
 * error is returned unchanged.
 */
function withCode(code: ErrorCode, cause: unknown): unknown {
  if (!isAsyncReplyError(cause) || cause.code !== "CONTRACT_VIOLATION") return cause;
  const { violations = [], eventDetail } = cause.context;
  const detail = violations.map((violation) => `${violation.pointer} ${violation.detail}`).join("; ");
  return new AsyncReplyError(code, detail, {
    eventDetail: `The value violates the contract. ${eventDetail}`,
    violations,
  });
}

/** An issue of zod, valibot or arktype. They add members that come from the schema, not from the value. */
type KnownIssue = StandardIssue & Readonly<Record<string, unknown>>;

type Segment = PropertyKey | { readonly key: PropertyKey; readonly origin?: unknown };

/**
 * Describes an issue for events and logs: its place, and what the schema expects there. The message of an issue is left
 * out, because many validators quote the value in it.
 */
function describeIssue(issue: StandardIssue): string {
  const path: readonly Segment[] = issue.path ?? [];
  const known = issue as KnownIssue;
  // The name of an unknown member is a part of the payload. zod reports the object, and valibot the member.
  if (known.code === "unrecognized_keys") return `${placeOf(path)}: has an unknown member`;
  if (known.expected === "never" && isKey(path.at(-1)))
    return `${placeOf(path.slice(0, -1))}: has an unknown member`;
  return `${placeOf(path)}: ${expectationOf(known)}`;
}

function isKey(segment: Segment | undefined): boolean {
  return typeof segment === "object" && segment.origin === "key";
}

function placeOf(path: readonly Segment[]): string {
  return toFragmentPointer(
    path.map((segment) => nameOf(typeof segment === "object" ? segment.key : segment)),
  );
}

/** Hides a name that looks like data, such as an address that is the key of a map. */
function nameOf(key: PropertyKey): PropertyKey {
  return typeof key !== "string" || /^([A-Za-z_][\w-]{0,63}|\d{1,6})$/.test(key) ? key : "*";
}

function expectationOf(issue: KnownIssue): string {
  const { code, kind, type, expected, origin, minimum, maximum, inclusive, divisor, format, values } = issue;
  const or = inclusive === false ? "" : "=";
  if (typeof expected === "string") return `expected ${expected}`;
  if (code === "too_small") return `expected ${origin} >${or} ${minimum}`;
  if (code === "too_big") return `expected ${origin} <${or} ${maximum}`;
  if (code === "not_multiple_of") return `expected multiple of ${divisor}`;
  if (code === "invalid_format") return `expected ${format}`;
  if (code === "invalid_value" && Array.isArray(values))
    return `expected one of ${values.map(quoted).join(", ")}`;
  if (kind === "validation" && typeof type === "string") return `violates ${type}`;
  return typeof code === "string" ? `violates ${code}` : "is refused by the schema";
}

function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
