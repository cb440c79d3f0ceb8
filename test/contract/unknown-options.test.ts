import { describe, expect, it } from "vitest";
import * as z from "zod";
import { refusalOf } from "../support/refusal.js";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, createOrderService, createWorker, defineOperation, defineOrders, apiKey } = untyped;
const { createClient, createWebhooks, startTelemetry } = untyped;
const { createMemoryBackend, createPostgresBackend, createOpenApiDocument, withOpenApi } = untyped;
const { createBullmqQueue, createNatsQueue, createRabbitmqQueue } = untyped;

const authorize = (): unknown => ({ id: "a" });
const observe = false;
const pool = { connect: (): void => {} };
const input = z.object({});
const info = { title: "Orders", version: "1" };
const service = createOrderService({ authorize, observe }) as { readonly backend: object };
const orders = (): void => {};
const backend = createMemoryBackend();
const named = { name: "orders", path: "/orders", input };
const definitions = [defineOperation(named)];

const misspelled = [
  ["defineOperation", "cancelable", "cancellable", () => defineOperation({ ...named, cancelable: true })],
  ["defineOrders", "idempotencykey", "idempotencyKey", () => defineOrders({ idempotencykey: "required" })],
  ["createService", "authorise", "authorize", () => createService({ definitions, authorise: authorize })],
  ["createOrderService", "basepath", "basePath", () => createOrderService({ authorize, basepath: "/api" })],
  ["createWorker", "maxAttemps", "maxAttempts", () => createWorker(service, { orders }, { maxAttemps: 3 })],
  ["startTelemetry", "relations", "relation", () => startTelemetry({ api: {}, relations: "parent" })],
  ["createPostgresBackend", "shcema", "schema", () => createPostgresBackend({ pool, shcema: "orders" })],
  ["createBullmqQueue", "conection", "connection", () => createBullmqQueue({ conection: {} })],
  ["createNatsQueue", "replica", "replicas", () => createNatsQueue({ replica: 3 })],
  ["createRabbitmqQueue", "queuetype", "queueType", () => createRabbitmqQueue({ queuetype: "quorum" })],
  ["createOpenApiDocument", "server", "servers", () => createOpenApiDocument(service, { info, server: [] })],
  ["withOpenApi", "paths", "path", () => withOpenApi(service, { info, paths: "/openapi.json" })],
] as const;

describe("an unknown option throws and suggests the closest known one", () => {
  testMistakes([
    ...misspelled.map(
      ([maker, unknown, known, make]) =>
        [
          `of ${maker}`,
          `Unknown option \`${unknown}\` of ${maker}. Did you mean \`${known}\`?`,
          make,
        ] as const,
    ),
    [
      "of `deprecated`",
      "Unknown option `deprecated.sunsets` of defineOperation. Did you mean `deprecated.sunset`? " +
        "Known options: deprecated.since, deprecated.sunset, deprecated.link.",
      () => defineOrders({ deprecated: { since: new Date(), sunsets: new Date() } }),
    ],
    [
      "of createService, with the former name of `definitions`",
      "Unknown option `operations` of createService. Known options: authorize, admit, basePath, statusPath, list, problemBaseUri, maxBodyBytes, maxDepth, " +
        "bodyTimeoutMs, authorizeTimeoutMs, recordTimeoutMs, maxWaitMs, maxStreamMs, maxWaiters, " +
        "createTimeoutMs, leaseMs, maxResultBytes, definitions, backend, create, webhooks, formats, observe, runtime.",
      () => createService({ operations: definitions, authorize }),
    ],
    [
      "of `backoff`",
      "Unknown option `backoff.baseMS` of createWorker. Did you mean `backoff.baseMs`? " +
        "Known options: backoff.baseMs, backoff.maxMs.",
      () => createWorker(service, { orders }, { backoff: { baseMS: 3 } }),
    ],
    [
      "of the first argument of a worker, unless it is a service",
      "Unknown option `obsrve` of createWorker. Did you mean `observe`?",
      () => createWorker({ backend, definitions, obsrve: () => {} }, { orders }),
    ],
    [
      "of createMemoryBackend",
      "Unknown option `maxOperation` of createMemoryBackend. Did you mean `maxOperations`? " +
        "Known options: clock, maxOperations.",
      () => createMemoryBackend({ maxOperation: 3 }),
    ],
    [
      "of createWebhooks",
      "Unknown option `secret` of createWebhooks. Known options: endpoint, allow, sign, send, trustedOrigins, concurrency.",
      () => createWebhooks({ secret: "whsec_" }),
    ],
    [
      "of apiKey",
      "Unknown option `headers` of apiKey. Did you mean `header`? Known options: header.",
      () => apiKey({ key: "a" }, { headers: "X-Key" }),
    ],
    [
      "of createClient",
      "Unknown option `baseURL` of createClient. Known options: baseUrl, definitions, paths, statusPath, headers, " +
        "fetch, keyStore, eventStream, outputStream, giveUpAfterMs, requestTimeoutMs.",
      () => createClient({ baseURL: "/v1", definitions }),
    ],
  ]);

  it("is not suggested if it is a long text", () => {
    const name = "maxAttempts".repeat(20);
    const { detail } = refusalOf(() => createWorker(service, { orders }, { [name]: 3 }));
    expect(detail).not.toContain("Did you mean");
  });
});

describe("an option that is undefined", () => {
  it("counts as absent, even if its name is unknown", () => {
    expect(createWorker(service, { orders }, { maxAttemps: undefined, leaseMs: undefined })).toBeDefined();
  });
});
