import type { OperationDefinition } from "../contract/definition/definition.js";
import type { JsonText, NewOperation } from "../contract/operation.js";
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

/** The tenant that owns a new operation, and the id of the principal who submits it. Code may name no principal. */
export interface Submitter {
  readonly tenant: string;
  readonly principal: string | undefined;
}

/** Creates the submission for the stores. Chooses its ids once, so recording is repeatable. */
export function toSubmission(
  { runtime, webhooks }: Pick<SubmissionContext, "runtime" | "webhooks">,
  { name, retentionMs, failedRetentionMs }: OperationDefinition,
  { tenant, principal }: Submitter,
  { key, input, fingerprint, delayMs, webhookUrl, meta }: SubmissionParts,
): Submission {
  const id = runtime.newId();
  // Assigned one by one, because a spread would cost more than the rest of this function.
  const operation: { -readonly [Name in keyof NewOperation]: NewOperation[Name] } = {
    id,
    tenant,
    definition: name,
    input,
    retentionMs,
    failedRetentionMs,
  };
  if (principal !== undefined) operation.principal = principal;
  if (key !== undefined) operation.key = key;
  if (delayMs !== undefined) operation.delayMs = delayMs;
  if (meta !== undefined) operation.meta = meta;
  if (webhooks !== undefined) operation.onEnd = webhooks.followUp(operation, runtime.newId(), webhookUrl);
  return { operation, fingerprint };
}
