import {
  bearer,
  createMemoryBackend,
  createOrderService,
  createService,
  defineOperation,
  getOperation,
  type Service,
  type ServiceEvent,
} from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import { createOpenApiDocument, withOpenApi } from "async-request-reply/openapi";
import { createOperator } from "async-request-reply/operator";
import { cancelOperation, problemType, submitOperation } from "async-request-reply/ports";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost } from "../service/open-service.js";
import { info } from "../support/openapi-services.js";

const input = z.object({ item: z.string() });
const orders = defineOperation({ name: "orders", path: "/orders", input, cancellable: true });
const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";
const events: ServiceEvent[] = [];
const observe = (event: ServiceEvent): void => void events.push(event);
beforeEach(() => void events.splice(0));

const newService = () =>
  createService({ definitions: [orders], backend: createMemoryBackend(), list: true, observe });

const token = { authorization: "Bearer t" };
const requestOf = (method: string, path: string) => ({ ...jsonPost(path, { item: "pen" }, token), method });

const PROBLEM = {
  type: problemType("not-configured"),
  name: "not-configured",
  title: "The service is not configured",
  status: 500,
  detail:
    "This service accepts no HTTP requests until its operator has configured it. Repeating the request does not help.",
};

describe("a service without `authorize`", () => {
  const requests = {
    "/orders": ["POST", "GET", "OPTIONS"],
    [`/operations/${ID}`]: ["GET", "DELETE", "PUT", "OPTIONS"],
    "/operations/malformed": ["GET"],
    "/operations": ["GET", "OPTIONS"],
    "/openapi.json": ["GET", "POST", "OPTIONS"],
    "/unknown": ["GET", "OPTIONS"],
    "/": ["ANYTHING"],
  };

  it.each(
    Object.entries(requests).flatMap(([path, methods]) => methods.map((method) => [method, path] as const)),
  )("refuses every request: %s %s", async (method, path) => {
    const service = withOpenApi(newService(), { info });
    const reply = await service.handle(requestOf(method, path));
    expect(reply.status).toBe(500);
    expect(reply.headers).not.toHaveProperty("retry-after");
    expect(JSON.parse(String(reply.body))).toEqual(PROBLEM);
  });

  it("refuses a HEAD without a body", async () => {
    const { status, body } = await newService().handle(requestOf("HEAD", `/operations/${ID}`));
    expect({ status, body }).toEqual({ status: 500, body: undefined });
  });

  it.each<[string, (service: Service<readonly [typeof orders]>) => Promise<{ readonly status: number }>]>([
    ["submitOperation", (service) => submitOperation(requestOf("POST", "/orders"), service, orders)],
    ["getOperation", (service) => getOperation(requestOf("GET", `/operations/${ID}`), service)],
    ["cancelOperation", (service) => cancelOperation(requestOf("DELETE", `/operations/${ID}`), service)],
  ])("refuses requests to a handler that was mounted alone: %s", async (_, call) => {
    expect((await call(newService())).status).toBe(500);
  });

  it("refuses requests to the service of the specification", async () => {
    const service = createOrderService({ backend: createMemoryBackend(), observe });
    expect((await service.handle(requestOf("POST", "/orders"))).status).toBe(500);
  });

  it("still knows its paths, so that an application does not answer them itself", () => {
    const service = withOpenApi(newService(), { info });
    const paths = ["/orders", "/operations", `/operations/${ID}`, "/openapi.json", "/unknown"];
    expect(paths.map((path) => service.hasPath(path))).toEqual([true, true, true, true, false]);
  });

  it("says once what is missing and what to do, and nothing before the first request", async () => {
    const service = newService();
    await service.submit(orders, { item: "pen" });
    expect(events.map(({ event }) => event)).toEqual(["operation.accepted"]);
    for (let count = 0; count < 3; count += 1) await service.handle(requestOf("POST", "/orders"));
    await withOpenApi(service, { info }).handle(requestOf("GET", "/openapi.json"));
    expect(events.slice(1)).toEqual([{ event: "service.no-authorize" }]);
    await newService().handle(requestOf("POST", "/orders"));
    expect(events.slice(1)).toEqual([{ event: "service.no-authorize" }, { event: "service.no-authorize" }]);
  });

  it("records nothing, not even for an operation that exists", async () => {
    const service = newService();
    const { operationId } = await service.submit(orders, { item: "pen" });
    const reply = await service.handle(requestOf("DELETE", `/operations/${operationId}`));
    expect(reply.status).toBe(500);
    expect(await service.get(orders, operationId)).toMatchObject({ status: "pending" });
  });

  it("has an OpenAPI document only if you say how callers authenticate", () => {
    expect(() => createOpenApiDocument(newService(), { info })).toThrow(
      "The service has no `authorize`, so nothing says how callers authenticate. " +
        "Pass `authorize` to createService(), or `securitySchemes` to createOpenApiDocument().",
    );
    const securitySchemes = { key: { type: "apiKey", in: "header", name: "x-key" } } as const;
    const described = createOpenApiDocument(newService(), { info, securitySchemes });
    const configured = createService({ definitions: [orders], list: true, authorize: bearer({ t: "ann" }) });
    const expected = createOpenApiDocument(configured, { info, securitySchemes });
    expect(described.security).toEqual([{ key: [] }]);
    expect(described.components.securitySchemes).toEqual(securitySchemes);
    expect(Object.keys(described.paths)).toEqual(Object.keys(expected.paths));
  });

  it("can be operated, also in the console, which has its own `authorize`", async () => {
    const service = newService();
    const { operationId } = await service.submit(orders, { item: "pen" });
    const operator = createOperator({ backend: service.backend, definitions: service.definitions });
    const console = createConsole({ operator, authorize: () => "operate", observe: false });
    const path = `/api/operations/${operationId}`;
    const { status, body } = await console.handle({ method: "GET", path, headers: {} });
    expect({ status, body: JSON.parse(String(body)) }).toMatchObject({
      status: 200,
      body: { operation: { operationId, tenant: "default" } },
    });
  });
});
