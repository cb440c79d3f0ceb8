import { canonicalJson } from "../../contract/json/canonical-json.js";
import { validate } from "../../contract/schema.js";
import { treeText } from "../../formats/payload-tree.js";
import { checkKeptFields } from "./check-kept-fields.js";
import type { SubmissionContext } from "./context.js";
import type { CheckedSubmission } from "./earlier-operation.js";
import { fingerprint } from "./fingerprint.js";
import { type SubmissionRequest, toSubmission } from "./to-submission.js";

/** A payload that was parsed. */
export interface Payload {
  readonly value: unknown;
  /** Untyped tree of the body, if its format needs the schema to parse it. */
  readonly tree?: unknown;
  /** Media type of the format of the tree. */
  readonly mediaType?: string | undefined;
}

/**
 * Validates the payload of a submission, and names it with its fingerprint. Returns a promise only if the validator or the hash
 * does.
 *
 * Throws `CONTRACT_VIOLATION`, and `INTERNAL` if the schema drops a field of the path. A promise rejects with the same.
 */
export function checkSubmission(
  context: Pick<SubmissionContext, "runtime" | "webhooks">,
  request: SubmissionRequest,
  payload: Payload,
): CheckedSubmission | Promise<CheckedSubmission> {
  const validated = validate(request.definition.input, payload.value);
  return validated instanceof Promise
    ? validated.then((output) => checkOutput(context, request, payload, output))
    : checkOutput(context, request, payload, validated);
}

function checkOutput(
  context: Pick<SubmissionContext, "runtime" | "webhooks">,
  request: SubmissionRequest,
  payload: Payload,
  output: unknown,
): CheckedSubmission | Promise<CheckedSubmission> {
  const keeping = checkKeptFields(request.definition, payload.value, output);
  return keeping === undefined
    ? name(context, request, payload, output)
    : keeping.then(() => name(context, request, payload, output));
}

function name(
  context: Pick<SubmissionContext, "runtime" | "webhooks">,
  request: SubmissionRequest,
  { value, tree, mediaType }: Payload,
  output: unknown,
): CheckedSubmission | Promise<CheckedSubmission> {
  const { definition } = request;
  const { hash } = context.runtime;
  const input = canonicalJson(value);
  const named =
    tree === undefined
      ? fingerprint(input, hash)
      : fingerprint(treeText(tree, definition.rootName), hash, mediaType);
  const toChecked = (text: string): CheckedSubmission => {
    const submission = toSubmission(context, request, { input, output, fingerprint: text });
    return { definition, submission, tree, output };
  };
  return typeof named === "string" ? toChecked(named) : named.then(toChecked);
}
