/**
 * Webhooks that announce the end of operations, signed as Standard Webhooks 1.0 describes, and their verification.
 *
 * @module async-request-reply/webhooks
 */

export type {
  DeliveryAttempt,
  DeliveryContext,
  DeliveryProcessor,
  FailedDelivery,
  TimeLimit,
  Webhooks,
} from "../ports/webhooks.js";
export { createWebhooks } from "./create-webhooks.js";
export { type DeliveryInput, webhookDeliveries } from "./delivery/delivery-definition.js";
export type { WebhookEvent } from "./event.js";
export type { SendWebhook, WebhookAnswer, WebhookRequest } from "./sending/send.js";
export { sendWithFetch } from "./sending/send.js";
export type { WebhookEndpoint, WebhooksOptions, WebhookTopic } from "./settings.js";
export { signWebhook, type WebhookMessage } from "./sign-webhook.js";
export {
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
} from "./verify-webhook.js";
