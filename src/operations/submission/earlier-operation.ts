import type { OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { canonicalJson } from "../../contract/json/canonical-json.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import { commonText } from "../../formats/payload-tree.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import { formOf } from "./check-payload.js";
import type { SubmissionContext } from "./context.js";

/** A submission with everything needed to compare its payload with an earlier one. */
export interface ComparableSubmission {
  readonly definition: OperationDefinition;
  readonly submission: Submission;
  /** Untyped tree of the body, if its format needs the schema to parse it. */
  readonly tree?: unknown;
}

/** A submission that has passed every check. */
export interface CheckedSubmission extends ComparableSubmission {
  /** Output of the input schema. */
  readonly output: unknown;
}

/**
 * Returns the operation of an earlier request with the same key, if that request had the same payload.
 *
 * Throws `IDEMPOTENCY_KEY_REUSED`; `SUBMISSION_IN_PROGRESS` if no payload is stored yet.
 */
export function earlierOperation(
  { observe }: Pick<SubmissionContext, "observe">,
  request: ComparableSubmission,
  earlier: Exclude<RecordResult, { readonly outcome: "created" }>,
): Operation {
  const { operation, fingerprint } = request.submission;
  if (earlier.outcome === "exists" && isSamePayload(request, earlier)) return earlier.operation;
  if (earlier.outcome === "in-progress" && formOf(earlier.fingerprint) !== formOf(fingerprint))
    throw inProgress();
  observe({ event: "key.reused", definition: operation.definition, tenant: operation.tenant });
  const detail = "This Idempotency-Key was used with a different payload. Use a new key for a new request.";
  throw new AsyncReplyError("IDEMPOTENCY_KEY_REUSED", detail, { recorded: "no" });
}

/** Returns whether two requests have the same payload: see docs/decisions/keys.md. */
function isSamePayload(
  { definition, submission, tree }: ComparableSubmission,
  earlier: Extract<RecordResult, { readonly outcome: "exists" }>,
): boolean {
  const { operation, fingerprint } = submission;
  if (earlier.fingerprint === fingerprint) return true;
  const { input } = earlier.operation;
  if (isSameButForPathTypes(definition, input, operation.input)) return true;
  const isSameForm = formOf(earlier.fingerprint) === formOf(fingerprint);
  // Equal values have equal fingerprints, but two trees can spell one value differently, such as `2` and `2.0`.
  if (isSameForm) return tree !== undefined && input === operation.input;
  const textOf = (value: unknown): string => commonText(value, definition.rootName);
  return (
    input === operation.input || textOf(JSON.parse(input)) === textOf(tree ?? JSON.parse(operation.input))
  );
}

/** Paths are untyped. After a deployment, the same text may become a number in one request and a string in another. */
function isSameButForPathTypes({ path }: OperationDefinition, one: JsonText, other: JsonText): boolean {
  const fields = pathFields(path);
  if (fields.length === 0) return false;
  const [a, b] = [one, other].map((input) => JSON.parse(input) as Readonly<Record<string, unknown>>);
  const retyped = fields.filter((name) => typeof a?.[name] !== typeof b?.[name]);
  const withTexts = (members: typeof a): string =>
    canonicalJson({
      ...members,
      ...Object.fromEntries(retyped.map((name) => [name, commonText(members?.[name], name)])),
    });
  return withTexts(a) === withTexts(b);
}

function inProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is being recorded. Repeat that request unchanged, in the same format.";
  return new AsyncReplyError("SUBMISSION_IN_PROGRESS", detail, { recorded: "no" });
}
