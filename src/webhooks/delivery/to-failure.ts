import { AsyncReplyError, isAsyncReplyError, permanentFailure } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import { keptMs } from "../../contract/operation.js";
import type { DeliveryContext, FailedDelivery } from "../../ports/webhooks.js";
import type { WebhookAnswer } from "../sending/send.js";
import type { DeliveryInput } from "./delivery-definition.js";
import { type Announced, findAnnounced } from "./find-announced.js";
import { nextDelayMs, readRetryAfterMs, type ScheduleRequest } from "./schedule.js";

/** Returns the error that ends the attempt: a retry, or a failure if no attempt can help or is left. */
export function toFailure(
  outcome: WebhookAnswer | { readonly error: unknown },
  { operation }: Announced,
  attempt: number,
  { runtime: { clock, random } }: DeliveryContext,
): AsyncReplyError {
  const now = clock.now();
  const remainingMs = (operation.settledAt ?? 0) + keptMs(operation) - now;
  const schedule = { attempt, remainingMs, random: random() };
  if ("error" in outcome) {
    const { error } = outcome;
    if (!isAsyncReplyError(error)) return retry("The webhook could not be sent.", schedule, error);
    if (error.context.countAttempt === false) return postpone(error, schedule);
    return error.code === "PERMANENT_FAILURE" ? error : retry(error.detail, schedule, error.cause);
  }
  const { status, retryAfter } = outcome;
  const reason = `The receiver answered ${status}.`;
  // Other statuses may be a mistake that the receiver corrects in the meantime.
  if (status === 410 || (status >= 300 && status < 400)) return permanentFailure(reason);
  return retry(reason, { ...schedule, retryAfterMs: readRetryAfterMs(retryAfter, now) });
}

function retry(reason: string, schedule: ScheduleRequest, cause?: unknown): AsyncReplyError {
  const retryAfterMs = nextDelayMs(schedule);
  if (retryAfterMs === undefined) return noAttemptLeft(reason, schedule, cause);
  return new AsyncReplyError("RETRY_LATER", reason, { retryAfterMs, cause });
}

/** Returns the error as it is, unless the operation will not be kept that long. */
function postpone(error: AsyncReplyError, { remainingMs }: ScheduleRequest): AsyncReplyError {
  const { retryAfterMs = 0 } = error.context;
  return retryAfterMs < remainingMs ? error : permanentFailure(`${error.detail} No attempt is left.`);
}

function noAttemptLeft(
  reason: string,
  { retryAfterMs, remainingMs }: ScheduleRequest,
  cause: unknown,
): AsyncReplyError {
  return permanentFailure(
    retryAfterMs !== undefined && retryAfterMs >= remainingMs
      ? `${reason} It asked to wait for longer than the operation is kept.`
      : `${reason} No attempt is left.`,
    cause,
  );
}

/** Reports a delivery whose failure is stored, even without a run: if workers die, attempts are lost. Never rejects. */
export async function reportFailure(
  { operations, observe }: DeliveryContext,
  { id: deliveryId, tenant, attempt, input }: FailedDelivery,
  error: unknown = permanentFailure("The last attempt was lost, and no attempt is left."),
): Promise<void> {
  const { operationId: firstId } = parseStored(input) as DeliveryInput;
  const delivery = { operationId: deliveryId, tenant };
  const announced = await findAnnounced(operations, delivery, firstId).catch(() => undefined);
  const { id: operationId = firstId, definition } = announced?.operation ?? {};
  const about = { deliveryId, operationId, tenant, attempt, error };
  observe({ event: "webhook.failed", ...about, ...(definition === undefined ? {} : { definition }) });
}
