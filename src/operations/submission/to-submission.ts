import type { OperationDefinition } from "../../contract/definition/definition.js";
import { laneOf } from "../../contract/definition/lane.js";
import { DEFAULT_URGENCY, type JsonText, type NewOperation } from "../../contract/operation.js";
import type { Submission } from "../../ports/submission.js";
import type { CheckedPayload } from "./check-payload.js";
import type { SubmissionContext } from "./context.js";

/** A submission without its payload. */
export interface SubmissionRequest {
  readonly definition: OperationDefinition;
  /** Tenant that owns the new operation. */
  readonly tenant: string;
  /** Id of the principal who submits it. Code may name none. */
  readonly principal: string | undefined;
  readonly key: string | undefined;
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

/** Creates the submission for the stores. Chooses its ids once, so recording is repeatable. Throws `INVALID_OPTION` for a broken `serialBy`. */
export function toSubmission(
  { runtime, webhooks }: Pick<SubmissionContext, "runtime" | "webhooks">,
  request: SubmissionRequest,
  { input, output, fingerprint }: CheckedPayload,
): Submission {
  const { definition, tenant, principal, key, delayMs, webhookUrl, meta } = request;
  const { name, retentionMs, failedRetentionMs } = definition;
  const { urgency = definition.urgency, startWithinMs = definition.startWithinMs } = request;
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
