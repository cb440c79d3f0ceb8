import type { OperationDefinition } from "../contract/definition.js";
import type { JsonText } from "../contract/operation.js";
import type { Submission } from "../ports/backend.js";
import type { SubmissionContext } from "./context.js";

/** What a submission is made of, besides its definition and its tenant. */
export interface SubmissionParts {
  readonly key: string | undefined;
  /** The payload as parsed, in RFC 8785 form. */
  readonly input: JsonText;
  readonly fingerprint: string;
  /** How long after the submission the work becomes due. Default: at once. */
  readonly delayMs?: number | undefined;
}

/** The submission that the stores get. Its id is chosen here, once, so that recording can be repeated. */
export function toSubmission(
  { runtime }: Pick<SubmissionContext, "runtime">,
  { name, retentionMs }: OperationDefinition,
  tenant: string,
  { input, key, fingerprint, delayMs }: SubmissionParts,
): Submission {
  const id = runtime.newId();
  if (delayMs !== undefined) {
    const operation = { id, tenant, definition: name, input, retentionMs, delayMs };
    return { operation: key === undefined ? operation : { ...operation, key }, fingerprint };
  }
  // Written out, because a spread costs more than all the rest of this.
  if (key === undefined)
    return { operation: { id, tenant, definition: name, input, retentionMs }, fingerprint };
  return { operation: { id, tenant, definition: name, input, retentionMs, key }, fingerprint };
}
