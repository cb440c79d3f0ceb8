import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import * as own from "async-request-reply";
import { describe, expect, it } from "vitest";
import { builtFile, manifest } from "../support/built.js";

const require = createRequire(import.meta.url);

async function names(subpath: string): Promise<string[]> {
  const built = (await import(pathToFileURL(builtFile(subpath, "import")).href)) as object;
  return Object.keys(built).sort();
}

describe("the exports of the package", () => {
  it("have all subpaths", () => {
    expect(Object.keys(manifest.exports)).toMatchInlineSnapshot(`
      [
        ".",
        "./bullmq",
        "./client",
        "./console",
        "./express",
        "./fetch",
        "./lambda",
        "./nats",
        "./node",
        "./openapi",
        "./opentelemetry",
        "./operator",
        "./ports",
        "./postgres",
        "./rabbitmq",
        "./sqlite",
        "./testing",
        "./webhooks",
        "./xml",
        "./yaml",
        "./yang",
      ]
    `);
  });

  it("are complete for .", async () => {
    expect(await names(".")).toMatchInlineSnapshot(`
      [
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
      ]
    `);
  });

  it("are complete for ./client", async () => {
    expect(await names("./client")).toMatchInlineSnapshot(`
      [
        "AsyncReplyError",
        "createClient",
        "createKeyStore",
        "eventStream",
        "isAsyncReplyError",
        "listOperations",
      ]
    `);
  });

  it("are complete for ./console", async () => {
    expect(await names("./console")).toMatchInlineSnapshot(`
      [
        "basic",
        "createConsole",
        "createCounters",
      ]
    `);
  });

  it.each([
    ["./bullmq", "createBullmqQueue"],
    ["./nats", "createNatsQueue"],
    ["./rabbitmq", "createRabbitmqQueue"],
  ])("are complete for %s", async (subpath, name) => {
    expect(await names(subpath)).toEqual([name]);
  });

  it("are complete for ./express", async () => {
    expect(await names("./express")).toMatchInlineSnapshot(`
      [
        "toExpressHandler",
      ]
    `);
  });

  it("are complete for ./fetch", async () => {
    expect(await names("./fetch")).toMatchInlineSnapshot(`
      [
        "toFetchHandler",
      ]
    `);
  });

  it("are complete for ./lambda", async () => {
    expect(await names("./lambda")).toMatchInlineSnapshot(`
      [
        "toLambdaHandler",
        "toStreamingLambdaHandler",
      ]
    `);
  });

  it("are complete for ./node", async () => {
    expect(await names("./node")).toMatchInlineSnapshot(`
      [
        "closeServer",
        "toNodeHandler",
      ]
    `);
  });

  it("are complete for ./openapi", async () => {
    expect(await names("./openapi")).toMatchInlineSnapshot(`
      [
        "createOpenApiDocument",
        "withOpenApi",
      ]
    `);
  });

  it("are complete for ./operator", async () => {
    expect(await names("./operator")).toMatchInlineSnapshot(`
      [
        "createOperator",
      ]
    `);
  });

  it("are complete for ./ports", async () => {
    expect(await names("./ports")).toMatchInlineSnapshot(`
      [
        "CANCELLED",
        "EXPIRED",
        "cancelOperation",
        "listOperations",
        "parseRingMessage",
        "problemType",
        "submitOperation",
        "toRingMessage",
      ]
    `);
  });

  it("are complete for ./postgres", async () => {
    expect(await names("./postgres")).toMatchInlineSnapshot(`
      [
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
      ]
    `);
  });

  it("are complete for ./sqlite", async () => {
    expect(await names("./sqlite")).toMatchInlineSnapshot(`
      [
        "createSqliteBackend",
      ]
    `);
  });

  it("are complete for ./testing", async () => {
    expect(await names("./testing")).toMatchInlineSnapshot(`
      [
        "SimulationFailure",
        "createManualClock",
        "idempotencyStoreCases",
        "operationStoreCases",
        "queueCases",
        "runnableCases",
        "separateOperationStoreCases",
        "simulate",
        "submissionsCases",
      ]
    `);
  });

  it("are complete for ./opentelemetry", async () => {
    expect(await names("./opentelemetry")).toMatchInlineSnapshot(`
      [
        "startTelemetry",
      ]
    `);
  });

  it("are complete for ./webhooks", async () => {
    expect(await names("./webhooks")).toMatchInlineSnapshot(`
      [
        "createWebhooks",
        "sendWithFetch",
        "signWebhook",
        "verifyWebhook",
        "webhookDeliveries",
      ]
    `);
  });

  it("are complete for ./xml", async () => {
    expect(await names("./xml")).toMatchInlineSnapshot(`
      [
        "xmlFormat",
      ]
    `);
  });

  it("are complete for ./yaml", async () => {
    expect(await names("./yaml")).toMatchInlineSnapshot(`
      [
        "yamlFormat",
      ]
    `);
  });

  it("are complete for ./yang", async () => {
    expect(await names("./yang")).toMatchInlineSnapshot(`
      [
        "createYangFormats",
        "orderYangFormats",
      ]
    `);
  });

  it.each(Object.keys(manifest.exports))("are the same in CommonJS for %s", async (subpath) => {
    const built = require(builtFile(subpath, "require")) as object;
    expect(Object.keys(built).sort()).toEqual(await names(subpath));
  });

  it("mounts a service of another copy", async () => {
    const other = (await import(pathToFileURL(builtFile(".", "import")).href)) as typeof own;
    expect(other.createOrderService).not.toBe(own.createOrderService);
    const service = other.createOrderService({ authorize: own.allowAnonymous(), observe: false });
    const headers = { "content-type": "application/json" };
    const body = '{"itemId":"pen","quantity":1}';
    const reply = await own.submitOrder({ method: "POST", path: "/orders", headers, body }, service);
    expect(reply.status).toBe(202);
    await service.close();
  });
});
