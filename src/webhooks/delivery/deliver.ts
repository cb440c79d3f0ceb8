import { AsyncReplyError, isAsyncReplyError, permanentFailure } from "../../contract/errors.js";
import { misuse } from "../../contract/options.js";
import type { DeliveryAttempt, DeliveryContext } from "../../ports/webhooks.js";
import { deliverChannel, traced } from "../../telemetry/channels.js";
import { aboutAttempt, type DeliverMessage } from "../../telemetry/messages.js";
import { toEvent } from "../event.js";
import { inTime } from "../in-time.js";
import { readReceiverUrl } from "../sending/judge-address.js";
import type { WebhookAnswer } from "../sending/send.js";
import type { WebhookSettings, WebhookTopic } from "../settings.js";
import { signWebhook, type WebhookMessage } from "../sign-webhook.js";
import type { DeliveryInput } from "./delivery-definition.js";
import { type Announced, findAnnounced } from "./find-announced.js";
import type { SendingSlots, Verdict, Visit } from "./slots.js";
import { toFailure } from "./to-failure.js";

/** Time limit of an attempt, from looking up the endpoint to the header of the answer. */
const TIMEOUT_MS = 15_000;
const TOO_LATE = `The receiver did not answer within ${TIMEOUT_MS} ms.`;

/** Dependencies of the deliveries of one worker. */
export interface Deliverer extends DeliveryContext {
  readonly slots: SendingSlots;
}

/** Delivers one webhook: finds the operation, then looks up the endpoint, signs and sends. */
export async function deliver(
  settings: WebhookSettings,
  context: Deliverer,
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
  context: Deliverer,
  { announced, url, attempt, message }: DeliverRequest,
): Promise<{ readonly status: number } | undefined> {
  const { attempt: number, tenant, operationId: deliveryId, createdAt } = attempt;
  const fields = message?.headers;
  const visit = context.slots.enter(tenant);
  const limit = { signal: attempt.signal, clock: context.runtime.clock, ms: TIMEOUT_MS, detail: TOO_LATE };
  const outcome = await inTime(limit, (signal) =>
    send(settings, context, { announced, tenant, url, visit, signal, fields }),
  ).catch((error: unknown) => ({ error }));
  visit.leave(verdictOf(outcome));
  if (outcome === undefined) return undefined;
  const { status = 0 } = outcome as Partial<WebhookAnswer>;
  if (message !== undefined && "status" in outcome) message.status = status;
  if (status >= 200 && status < 300) {
    const { id, definition } = announced.operation;
    const about = { deliveryId, operationId: id, definition, tenant, attempt: number, createdAt };
    context.observe({ event: "webhook.delivered", ...about, status });
    return { status };
  }
  throw toFailure(outcome, announced, number, context);
}

function verdictOf(outcome: WebhookAnswer | { readonly error: unknown } | undefined): Verdict {
  if (outcome === undefined || !("error" in outcome)) return "answered";
  const { error } = outcome;
  return isAsyncReplyError(error) && error.code === "ATTEMPT_TIMEOUT" ? "timed-out" : "unknown";
}

interface Sending {
  readonly announced: Announced;
  readonly tenant: string;
  readonly url: string | undefined;
  readonly visit: Visit;
  readonly signal: AbortSignal;
  /** Additional header fields. Those of the webhook itself win. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** Returns the answer of the receiver, or undefined if the tenant has no endpoint. */
async function send(
  settings: WebhookSettings,
  { runtime, problemBaseUri }: DeliveryContext,
  { announced: { operation, webhookId }, tenant, url, visit, signal, fields }: Sending,
): Promise<WebhookAnswer | undefined> {
  const { definition } = operation;
  const endpoint = await settings.endpoint(tenant, definition, url);
  const target = url ?? endpoint?.url;
  if (target === undefined) return undefined;
  const receiver = readReceiverUrl(target, settings.trustedOrigins);
  if (!(receiver instanceof URL)) throw new AsyncReplyError("FORBIDDEN", receiver.advice);
  await visit.takeSlot(receiver.origin, signal);
  const body = new TextEncoder().encode(JSON.stringify(toEvent(operation, problemBaseUri)));
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
  return settings.send({ url: receiver.href, headers, body, signal }, runtime.clock);
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
