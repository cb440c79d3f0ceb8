import { webhookDeliveries } from "async-request-reply/webhooks";
import { describe } from "vitest";
import { testMistakes, untyped } from "../support/untyped.js";

const { createOrderService, createWebhooks, createService, createWorker, createMemoryBackend } = untyped;
const { defineOperation, allowAnonymous } = untyped;
const endpoint = (): void => {};
const authorize = allowAnonymous();
const observe = false;
const definitions = [defineOperation({ name: "a", path: "/a", input: webhookDeliveries.input })];
const NOT_CREATED = "Option `webhooks` must be the return value of `createWebhooks`, not an object.";

describe("a mistake in the use of webhooks", () => {
  testMistakes([
    ["no endpoint", "Option `endpoint` must be a function, not undefined.", () => createWebhooks({})],
    [
      "an unknown option",
      "Unknown option `endpiont` of createWebhooks. Did you mean `endpoint`?",
      () => createWebhooks({ endpiont: endpoint }),
    ],
    [
      "a trusted origin with a path",
      'Option `trustedOrigins` must be a list of origins such as "http://127.0.0.1:8080", without a path, not "http://127.0.0.1:8080/".',
      () => createWebhooks({ endpoint, trustedOrigins: ["http://127.0.0.1:8080/"] }),
    ],
    [
      "a trusted origin without a list",
      'Option `trustedOrigins` must be a list of origins, not "http://127.0.0.1:8080".',
      () => createWebhooks({ endpoint, trustedOrigins: "http://127.0.0.1:8080" }),
    ],
    [
      "no concurrency",
      "Option `concurrency` must be a whole number greater than 0, not 0.",
      () => createWebhooks({ endpoint, concurrency: 0 }),
    ],
    [
      "options instead of webhooks for a service",
      NOT_CREATED,
      () => createOrderService({ authorize, observe, webhooks: { endpoint } }),
    ],
    [
      "options instead of webhooks for a worker",
      NOT_CREATED,
      () => createWorker({ backend: createMemoryBackend(), definitions, webhooks: { endpoint } }, {}),
    ],
    [
      "a service that lets clients submit deliveries",
      'The name "webhook.delivery" in `definitions` is reserved. Rename the definition.',
      () => createService({ authorize, observe, definitions: [webhookDeliveries] }),
    ],
  ]);
});
