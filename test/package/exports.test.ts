import * as own from "async-request-reply";
import { describe, expect, it } from "vitest";
import { manifest } from "../support/built.js";
import { type Format, load } from "./load.js";

/** The names of all values that each subpath exports. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "AsyncReplyError",
    "allowAnonymous",
    "apiKey",
    "bearer",
    "composeStores",
    "createConsoleObserver",
    "createMemoryBackend",
    "createMemoryStores",
    "createOrderService",
    "createService",
    "createWorker",
    "defineOperation",
    "defineOrders",
    "forbidden",
    "getOperation",
    "isAsyncReplyError",
    "logEvents",
    "permanentFailure",
    "retryLater",
    "submitOrder",
    "unauthenticated",
    "withQueue",
  ],
  "./bullmq": ["createBullmqQueue"],
  "./client": [
    "AsyncReplyError",
    "createClient",
    "createKeyStore",
    "eventStream",
    "isAsyncReplyError",
    "listOperations",
    "outputStream",
  ],
  "./console": ["basic", "createConsole"],
  "./durable-objects": [
    "createDirectoryObject",
    "createDurableObjectBackend",
    "createObjectsOperator",
    "createOperationsObject",
    "routeToTenant",
  ],
  "./express": ["toExpressHandler"],
  "./fetch": ["toFetchHandler"],
  "./lambda": ["toLambdaHandler", "toStreamingLambdaHandler"],
  "./nats": ["createNatsQueue"],
  "./node": ["closeServer", "toNodeHandler"],
  "./openapi": ["createOpenApiDocument", "withOpenApi"],
  "./opentelemetry": ["startTelemetry"],
  "./operator": ["createOperator"],
  "./ports": [
    "CANCELLED",
    "EXPIRED",
    "cancelOperation",
    "listOperations",
    "parseRingMessage",
    "problemType",
    "submitOperation",
    "toRingMessage",
  ],
  "./postgres": [
    "createPostgresBackend",
    "fromDrizzle",
    "fromKnex",
    "fromKysely",
    "fromMikroOrm",
    "fromPGlite",
    "fromPool",
    "fromPrisma",
    "fromTypeOrm",
    "postgresMigrations",
  ],
  "./rabbitmq": ["createRabbitmqQueue"],
  "./sqlite": ["createSqliteBackend"],
  "./testing": [
    "SimulationFailure",
    "actionsStoreCases",
    "createManualClock",
    "idempotencyStoreCases",
    "minutesStoreCases",
    "operationStoreCases",
    "outputStoreCases",
    "queueCases",
    "runnableCases",
    "separateOperationStoreCases",
    "simulate",
    "submissionsCases",
  ],
  "./webhooks": ["createWebhooks", "sendWithFetch", "signWebhook", "verifyWebhook", "webhookDeliveries"],
  "./xml": ["xmlFormat"],
  "./yaml": ["yamlFormat"],
  "./yang": ["createYangFormats", "orderYangFormats"],
};

const namesOf = async (subpath: string, format: Format): Promise<string[]> =>
  Object.keys(await load(subpath, format)).sort();

describe("the exports of the package", () => {
  it("have all subpaths", () => {
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(EXPORTS));
  });

  it.each(Object.entries(EXPORTS))("are complete for %s", async (subpath, names) => {
    expect(await namesOf(subpath, "import")).toEqual(names);
  });

  it.each(Object.keys(manifest.exports))("are the same in CommonJS for %s", async (subpath) => {
    expect(await namesOf(subpath, "require")).toEqual(await namesOf(subpath, "import"));
  });

  it("mounts a service of another copy", async () => {
    const other = await load<typeof own>(".", "import");
    expect(other.createOrderService).not.toBe(own.createOrderService);
    const service = other.createOrderService({ authorize: own.allowAnonymous(), observe: false });
    const headers = { "content-type": "application/json" };
    const body = '{"itemId":"pen","quantity":1}';
    const reply = await own.submitOrder({ method: "POST", path: "/orders", headers, body }, service);
    expect(reply.status).toBe(202);
    await service.close();
  });
});
