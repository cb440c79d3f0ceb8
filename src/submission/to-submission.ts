import type { OperationDefinition } from "../contract/definition/definition.js";
import { laneOf } from "../contract/definition/lane.js";
import { DEFAULT_URGENCY, type JsonText, type NewOperation } from "../contract/operation.js";
import type { Submission } from "../ports/submission.js";
import type { SubmissionContext } from "./context.js";

/** Parts of a submission besides its definition and its tenant. */
export interface SubmissionParts {
  readonly key: string | undefined;
  /** Canonical JSON of the parsed payload (RFC 8785). */
  readonly input: JsonText;
  /** Output of the input schema. */
  readonly output: unknown;
  readonly fingerprint: string;
  /** Time from the submission until the work is due. Milliseconds. Default: due at once. */
  readonly delayMs?: number | undefined;
  /** Time within which work must start. Milliseconds. Default: that of the definition. */
  readonly startWithinMs?: number | undefined;
  /** Urgency that the caller chooses. Default: that of the definition. */
  readonly urgency?: number | undefined;
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

/** Creates the submission for the stores. Chooses its ids once, so recording is repeatable. Throws `INVALID_OPTION` for a broken `serialBy`. */
export function toSubmission(
  { runtime, webhooks }: Pick<SubmissionContext, "runtime" | "webhooks">,
  definition: OperationDefinition,
  { tenant, principal }: Submitter,
  parts: SubmissionParts,
): Submission {
  const { name, retentionMs, failedRetentionMs } = definition;
  const { key, input, output, fingerprint, delayMs, urgency = definition.urgency, webhookUrl, meta } = parts;
  const { startWithinMs = definition.startWithinMs } = parts;
  const lane = laneOf(definition, output);
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
  if (startWithinMs !== undefined) operation.startWithinMs = startWithinMs;
  if (lane !== undefined) operation.lane = lane;
  // Stores fill in the default, and most submissions take a shorter way without the member.
  if (urgency !== DEFAULT_URGENCY) operation.urgency = urgency;
  if (meta !== undefined) operation.meta = meta;
  if (webhooks !== undefined) operation.onEnd = webhooks.followUp(operation, runtime.newId(), webhookUrl);
  return { operation, fingerprint };
}
