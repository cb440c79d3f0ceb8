import type { OperationDefinition } from "../../contract/definition/definition.js";
import { laneOf } from "../../contract/definition/lane.js";
import type { Mutable } from "../../contract/mutable.js";
import { DEFAULT_URGENCY, type NewOperation } from "../../contract/operation.js";
import type { Submission } from "../../ports/submission.js";
import type { CheckedPayload } from "./check-payload.js";
import type { SubmissionContext } from "./context.js";

/** Members of a new operation that its caller chooses, or that come with the call. */
export type ChosenMembers = Omit<
  NewOperation,
  | "id"
  | "tenant"
  | "definition"
  | "input"
  | "retentionMs"
  | "failedRetentionMs"
  | "urgency"
  | "startWithinMs"
  | "lane"
  | "hidden"
  | "retryOf"
  | "onEnd"
>;

/** A submission without its payload. */
export interface SubmissionRequest {
  readonly definition: OperationDefinition;
  /** Tenant that owns the new operation. */
  readonly tenant: string;
  /** Urgency that the caller chooses. Default: that of the definition. */
  readonly urgency?: number | undefined;
  /** Time within which work must start. Milliseconds. Default: that of the definition. */
  readonly startWithinMs?: number | undefined;
  readonly chosen: ChosenMembers;
  /** Receiver of the webhook that the request chose. Default: the endpoint of the tenant. */
  readonly webhookUrl?: string | undefined;
}

/** Creates the submission for the stores. Chooses its ids once, so recording is repeatable. Throws `INVALID_OPTION` for a broken `serialBy`. */
export function toSubmission(
  { runtime, webhooks }: Pick<SubmissionContext, "runtime" | "webhooks">,
  request: SubmissionRequest,
  { input, output, fingerprint }: CheckedPayload,
): Submission {
  const { definition, tenant, chosen, webhookUrl } = request;
  const { name, retentionMs, failedRetentionMs } = definition;
  const { urgency = definition.urgency, startWithinMs = definition.startWithinMs } = request;
  const lane = laneOf(definition, output);
  const id = runtime.newId();
  // A spread would cost more than the rest of this function on Node.js 20.
  const operation: Mutable<NewOperation> = Object.assign(
    { id, tenant, definition: name, input, retentionMs, failedRetentionMs },
    chosen,
  );
  if (startWithinMs !== undefined) operation.startWithinMs = startWithinMs;
  if (lane !== undefined) operation.lane = lane;
  // Stores fill in the default, and most submissions take a shorter way without the member.
  if (urgency !== DEFAULT_URGENCY) operation.urgency = urgency;
  if (webhooks !== undefined) operation.onEnd = webhooks.followUp(operation, runtime.newId(), webhookUrl);
  return { operation, fingerprint };
}
