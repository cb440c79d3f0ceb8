import type { OperationDefinition } from "../../contract/definition/definition.js";
import { AsyncReplyError } from "../../contract/errors.js";
import type { Mutable } from "../../contract/mutable.js";
import { DEFAULT_URGENCY, type NewOperation, tenantProblem } from "../../contract/operation.js";
import { adoptPromise, misuse } from "../../contract/options.js";
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

/** Rule for the return value of `serialBy`. */
const LANE_RULE = "Return a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/**
 * Returns the lane of a submission, or undefined if the definition has no `serialBy`.
 *
 * Throws `INVALID_OPTION` if `serialBy` throws or returns anything else than such a string. The message does not quote
 * the value, because it may come from the payload.
 *
 * @param output Validated input of the submission.
 */
function laneOf(definition: OperationDefinition, output: unknown): string | undefined {
  const { name } = definition;
  if (definition.serialBy === undefined) return undefined;
  const lane = callSerialBy(definition, output);
  if (adoptPromise(lane) instanceof Promise)
    throw misuse(
      `\`serialBy\` of the definition "${name}" returned a promise. It must be synchronous. ${LANE_RULE}`,
    );
  const problem = tenantProblem(lane);
  if (problem === undefined) return lane as string;
  throw misuse(`The value that \`serialBy\` of the definition "${name}" returned ${problem}. ${LANE_RULE}`);
}

function callSerialBy(definition: OperationDefinition, output: unknown): unknown {
  try {
    return definition.serialBy?.(output);
  } catch (cause) {
    const detail =
      `\`serialBy\` of the definition "${definition.name}" threw an error, which is the cause of this one. It must return ` +
      "a string for every valid input.";
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause, eventDetail: detail });
  }
}
