import {
  DEFAULT_FAILED_RETENTION_MS,
  DEFAULT_RETENTION_MS,
  type OperationDefinition,
} from "../../contract/definition/definition.js";
import { DEFAULT_URGENCY, isOperationId, type JsonText } from "../../contract/operation.js";
import { isObject } from "../../contract/options.js";
import type { StandardSchema } from "../../contract/schema.js";
import { WEBHOOK_DELIVERY } from "../../ports/webhooks.js";

/** Input of a delivery. */
export interface DeliveryInput {
  /** Id of the operation that is announced, or of the first one in a row of redrives. */
  readonly operationId: string;
  /** Receiver that the request chose. Default: the endpoint of the tenant. */
  readonly url?: string;
}

/** Returns the stored form of an input (RFC 8785). */
export function toInput(operationId: string, url: string | undefined): JsonText {
  return JSON.stringify({ operationId, url });
}

const input: StandardSchema<DeliveryInput> = {
  "~standard": {
    version: 1,
    vendor: "async-request-reply",
    validate: (value) => (isInput(value) ? { value } : { issues: [{ message: "is not a delivery" }] }),
  },
};

function isInput(value: unknown): value is DeliveryInput {
  const { operationId, url } = isObject(value) ? (value as Partial<DeliveryInput>) : {};
  return isOperationId(operationId) && (url === undefined || typeof url === "string");
}

/**
 * Definition of the hidden operations that deliver webhooks. Pass it to `createOperator`, together with your own
 * definitions, to count and redrive deliveries. A service refuses it, because clients must not submit deliveries.
 */
export const webhookDeliveries: OperationDefinition<
  "webhook.delivery",
  string,
  StandardSchema<DeliveryInput>,
  undefined,
  undefined,
  undefined,
  undefined
> = Object.freeze({
  name: WEBHOOK_DELIVERY,
  rootName: WEBHOOK_DELIVERY,
  path: `/${WEBHOOK_DELIVERY}`,
  input,
  result: undefined,
  progress: undefined,
  chunk: undefined,
  checkpoint: undefined,
  maxOutputBytes: 0,
  idempotencyKey: "optional",
  cancellable: false,
  retentionMs: DEFAULT_RETENTION_MS,
  failedRetentionMs: DEFAULT_FAILED_RETENTION_MS,
  urgency: DEFAULT_URGENCY,
});
