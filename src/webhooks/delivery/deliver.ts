import { AsyncReplyError, isAsyncReplyError, permanentFailure } from "../../contract/errors.js";
import { misuse } from "../../contract/options.js";
import type { DeliveryAttempt, DeliveryContext } from "../../ports/webhooks.js";
import { withinTime } from "../../protocol/within-time.js";
import { deliverChannel, traced } from "../../telemetry/channels.js";
import { aboutAttempt, type DeliverMessage } from "../../telemetry/messages.js";
import { toEvent } from "../event.js";
import { readReceiverUrl } from "../sending/receiver-url.js";
import type { WebhookAnswer } from "../sending/send.js";
import type { WebhookSettings, WebhookTopic } from "../settings.js";
import { signWebhook, type WebhookMessage } from "../signing/sign-webhook.js";
import type { DeliveryInput } from "./delivery-definition.js";
import { type Announced, findAnnounced } from "./find-announced.js";
import { nextDelayMs, readRetryAfterMs, type ScheduleRequest } from "./schedule.js";

/** Time limit of an attempt, from looking up the endpoint to the header of the answer. */
const TIMEOUT_MS = 15_000;

/** Delivers one webhook: finds the operation, then looks up the endpoint, signs and sends. */
export async function deliver(
  settings: WebhookSettings,
  context: DeliveryContext,
  { operationId, url }: DeliveryInput,
  attempt: DeliveryAttempt,
): Promise<{ readonly status: number } | undefined> {
  const announced = await findAnnounced(context.operations, attempt, operationId);
  if (announced === undefined) throw permanentFailure("The operation that ended is no longer kept.");
  return traced(
    deliverChannel,
    () => ({
      ...aboutAttempt(announced.operation),
      attempt: attempt.attempt,
      deliveryId: attempt.operationId,
      headers: {},
    }),
    (message) => deliverOnce(settings, context, { announced, url, attempt, message }),
    () => ({}),
  );
}

interface DeliverRequest {
  readonly announced: Announced;
  readonly url: string | undefined;
  readonly attempt: DeliveryAttempt;
  /** Receives the status of the answer, and has header fields to send. Absent if the delivery is not watched. */
  readonly message: DeliverMessage | undefined;
}

async function deliverOnce(
  settings: WebhookSettings,
  context: DeliveryContext,
  { announced, url, attempt, message }: DeliverRequest,
): Promise<{ readonly status: number } | undefined> {
  const { attempt: number, tenant, operationId: deliveryId } = attempt;
  const fields = message?.headers;
  const outcome = await inTime(context, attempt, (signal) =>
    send(settings, context, { announced, tenant, url, signal, fields }),
  ).catch((error: unknown) => ({ error }));
  if (outcome === undefined) return undefined;
  const { status = 0 } = outcome as Partial<WebhookAnswer>;
  if (message !== undefined && "status" in outcome) message.status = status;
  if (status >= 200 && status < 300) {
    const { id, definition } = announced.operation;
    const about = { deliveryId, operationId: id, definition, tenant, attempt: number };
    context.observe({ event: "webhook.delivered", ...about, status });
    return { status };
  }
  throw toFailure(outcome, announced, number, context);
}

/** Calls `work` with a signal that is aborted when its time is up, or when the attempt is. */
async function inTime<T>(
  { runtime: { clock } }: DeliveryContext,
  { signal }: DeliveryAttempt,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const tooLate = (): AsyncReplyError => {
    const error = new AsyncReplyError(
      "ATTEMPT_TIMEOUT",
      `The receiver did not answer within ${TIMEOUT_MS} ms.`,
    );
    stopping.abort(error);
    return error;
  };
  try {
    signal.throwIfAborted();
    return await withinTime(work(stopping.signal), TIMEOUT_MS, clock, tooLate);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

interface Sending {
  readonly announced: Announced;
  readonly tenant: string;
  readonly url: string | undefined;
  readonly signal: AbortSignal;
  /** Additional header fields. Those of the webhook itself win. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** Returns the answer of the receiver, or undefined if the tenant has no endpoint. */
async function send(
  settings: WebhookSettings,
  { runtime }: DeliveryContext,
  { announced: { operation, webhookId }, tenant, url, signal, fields }: Sending,
): Promise<WebhookAnswer | undefined> {
  const { definition } = operation;
  const endpoint = await settings.endpoint(tenant, definition, url);
  const target = url ?? endpoint?.url;
  if (target === undefined) return undefined;
  const receiver = readReceiverUrl(target, settings.trustedOrigins);
  if (typeof receiver === "string")
    throw new AsyncReplyError("FORBIDDEN", `The URL of the receiver cannot be used: ${receiver}.`);
  const body = new TextEncoder().encode(JSON.stringify(toEvent(operation, settings.problemBaseUri)));
  const message = { id: webhookId, timestamp: Math.floor(runtime.clock.now() / 1_000), body };
  const headers = {
    ...fields,
    "content-type": "application/json",
    "user-agent": "async-request-reply",
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": await sign(
      settings,
      message,
      { tenant, definition, url: receiver.href },
      endpoint?.secrets,
    ),
  };
  return settings.send({ url: receiver.href, headers, body, signal });
}

async function sign(
  { sign: hook }: WebhookSettings,
  message: WebhookMessage,
  topic: WebhookTopic,
  secrets: readonly string[] | undefined,
): Promise<string> {
  if (hook !== undefined) return hook(message, topic);
  if (secrets !== undefined) return signWebhook(message, secrets);
  throw misuse("`endpoint` of createWebhooks returned no `secrets`. Return at least one, or pass `sign`.");
}

/** Returns the error that ends the attempt: a retry, or a failure if no attempt can help or is left. */
function toFailure(
  outcome: WebhookAnswer | { readonly error: unknown },
  { operation: { settledAt = 0, retentionMs } }: Announced,
  attempt: number,
  { runtime: { clock, random } }: DeliveryContext,
): AsyncReplyError {
  const now = clock.now();
  const schedule = { attempt, remainingMs: settledAt + retentionMs - now, random: random() };
  if ("error" in outcome) {
    const { error } = outcome;
    if (!isAsyncReplyError(error)) return retry("The webhook could not be sent.", schedule, error);
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
  if (retryAfterMs === undefined) return permanentFailure(`${reason} No attempt is left.`, cause);
  return new AsyncReplyError("RETRY_LATER", reason, { retryAfterMs, cause });
}
