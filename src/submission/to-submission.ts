import type { OperationDefinition } from "../contract/definition/definition.js";
import type { JsonText } from "../contract/operation.js";
import type { Submission } from "../ports/submission.js";
import type { SubmissionContext } from "./context.js";

/** Parts of a submission besides its definition and its tenant. */
export interface SubmissionParts {
  readonly key: string | undefined;
  /** Canonical JSON of the parsed payload (RFC 8785). */
  readonly input: JsonText;
  readonly fingerprint: string;
  /** Time from the submission until the work is due. Milliseconds. Default: due at once. */
  readonly delayMs?: number | undefined;
  /** Receiver of the webhook that the request chose. Default: the endpoint of the tenant. */
  readonly webhookUrl?: string | undefined;
  /** Data to store with the operation, such as its trace context. Default: none. */
  readonly meta?: JsonText | undefined;
}

/** Creates the submission for the stores. Chooses its ids once, so recording is repeatable. */
export function toSubmission(
  { runtime, webhooks }: Pick<SubmissionContext, "runtime" | "webhooks">,
  definition: OperationDefinition,
  tenant: string,
  parts: SubmissionParts,
): Submission {
  const submission = withMeta(plainSubmission(runtime.newId(), definition, tenant, parts), parts.meta);
  if (webhooks === undefined) return submission;
  const { operation } = submission;
  const onEnd = webhooks.followUp(operation, runtime.newId(), parts.webhookUrl);
  return { ...submission, operation: { ...operation, onEnd } };
}

function withMeta(submission: Submission, meta: JsonText | undefined): Submission {
  return meta === undefined ? submission : { ...submission, operation: { ...submission.operation, meta } };
}

function plainSubmission(
  id: string,
  { name, retentionMs, failedRetentionMs }: OperationDefinition,
  tenant: string,
  { input, key, fingerprint, delayMs }: SubmissionParts,
): Submission {
  if (delayMs !== undefined) {
    const operation = { id, tenant, definition: name, input, retentionMs, failedRetentionMs, delayMs };
    return { operation: key === undefined ? operation : { ...operation, key }, fingerprint };
  }
  // Written out, because a spread would cost more than the rest of this function.
  if (key === undefined)
    return {
      operation: { id, tenant, definition: name, input, retentionMs, failedRetentionMs },
      fingerprint,
    };
  return {
    operation: { id, tenant, definition: name, input, retentionMs, failedRetentionMs, key },
    fingerprint,
  };
}
