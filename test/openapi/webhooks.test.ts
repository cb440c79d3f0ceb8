import { allowAnonymous, createOrderService } from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import { createWebhooks, type WebhooksOptions } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { info } from "../support/openapi-services.js";

function describeService(options?: Partial<WebhooksOptions>): OpenApiDocument {
  const webhooks = options && { webhooks: createWebhooks({ endpoint: () => undefined, ...options }) };
  const service = createOrderService({ authorize: allowAnonymous(), observe: false, ...webhooks });
  return createOpenApiDocument(service, { info });
}

const parametersOf = ({ paths }: OpenApiDocument): unknown =>
  paths["/orders"]?.post?.parameters?.map(({ name }) => name);

describe("the document of a service", () => {
  it("has no webhooks unless the service has some", () => {
    expect(describeService()).not.toHaveProperty("webhooks");
  });

  it("describes the webhook with its fields and both of its bodies, and needs no credentials for it", () => {
    const { webhooks, components } = describeService({});
    const { security, parameters, requestBody, responses } = webhooks?.operationEnded?.post ?? {};
    expect(security).toEqual([]);
    expect(parameters?.map(({ name }) => name)).toEqual([
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
    const schema = { $ref: "#/components/schemas/OperationEnded" };
    expect(requestBody?.content).toEqual({ "application/json": { schema } });
    expect(components.schemas.OperationEnded).toMatchObject({
      oneOf: [
        { properties: { type: { const: "operation.completed" } } },
        {
          properties: {
            type: { const: "operation.failed" },
            data: { required: ["operationId", "status", "error"] },
          },
        },
      ],
    });
    expect(Object.keys(responses ?? {}).sort()).toEqual(["2XX", "410", "default"]);
  });

  it("describes `Webhook-URL` only if requests may choose their receiver", () => {
    expect(parametersOf(describeService({}))).toEqual(["Idempotency-Key", "Prefer"]);
    expect(parametersOf(describeService({ allow: () => true }))).toEqual([
      "Idempotency-Key",
      "Webhook-URL",
      "Prefer",
    ]);
  });
});
