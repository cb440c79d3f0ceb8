import { randomUUID } from "node:crypto";
import {
  bearer,
  createOrderService,
  createService,
  defineOperation,
  type OrderServiceOptions,
} from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { documentOf, info, services } from "../support/openapi-services.js";
import { page } from "../support/pages.js";
import { readDocument } from "./document-reader.js";

const authorize = bearer({ "token-of-a": "a" });
const SCHEMAS = "#/components/schemas/";
const AT = "2026-11-01T00:00:00.000Z";
const pending = { operationId: randomUUID(), createdAt: AT, attempt: 1, status: "pending" };
const completed = { ...pending, status: "completed", finishedAt: AT };
const count = z.object({ count: z.int() });
const pages = defineOperation({ name: "pages", path: "/pages", input: z.int(), result: count });
const words = defineOperation({
  name: "words",
  path: "/words",
  input: z.string(),
  result: z.object({ length: z.int() }),
  progress: z.object({ percent: z.number() }),
});
const mixed = createOpenApiDocument(createService({ definitions: [pages, words], authorize }), { info });
const describeOrders = (options: Partial<OrderServiceOptions> = {}) =>
  createOpenApiDocument(createOrderService({ authorize, ...options }), { info });
const describeLogs = () => {
  const logs = defineOperation({ name: "logs", path: "/logs", input: z.int(), chunk: z.string() });
  return createOpenApiDocument(createService({ definitions: [logs], authorize }), { info });
};
const postOf = (document: OpenApiDocument) => document.paths["/orders"]?.post;

describe("the document of a service", () => {
  it("has the paths of the definitions and the status endpoint, behind the base path", () => {
    const { paths } = documentOf("several definitions below a path");
    expect(Object.keys(paths)).toEqual([
      "/api/v1/orders",
      "/api/v1/assemblies",
      "/api/v1/untold",
      "/api/v1/operations/{operationId}",
    ]);
    const assemblies = { operationId: "submitAssemblies", tags: ["assemblies"] };
    expect(paths["/api/v1/assemblies"]?.post).toMatchObject(assemblies);
  });

  it("describes bodies in every media type that is read, and replies in every media type that is written", () => {
    const { requestBody, responses } = postOf(documentOf("a custom format")) ?? {};
    const typesOf = ({ content = {} }: { readonly content?: object } = {}) => Object.keys(content);
    expect(typesOf(requestBody)).toEqual(["application/json", "application/example", "text/example"]);
    expect(typesOf(responses?.[202])).toEqual(["application/json", "application/example"]);
    expect(typesOf(responses?.[400])).toEqual(["application/problem+json", "application/problem+example"]);
    expect(responses?.[415]?.headers.Accept).toMatchObject({
      schema: { const: "application/json, application/example" },
    });
  });

  it("states the limits of a body", () => {
    const document = describeOrders({ maxBodyBytes: 1_234, maxDepth: 5, bodyTimeoutMs: 678 });
    expect(postOf(document)?.requestBody?.description).toMatch(/\b1234 bytes.* 678 ms.* 5 deep/);
  });

  it.each(["optional", "required"] as const)("declares the key as %s", (idempotencyKey) => {
    const [parameter] = postOf(describeOrders({ idempotencyKey }))?.parameters ?? [];
    const required = idempotencyKey === "required";
    expect(parameter).toMatchObject({ name: "Idempotency-Key", in: "header", required });
  });

  it("describes `Priority` only if clients may choose the urgency", () => {
    const parametersOf = (options: Partial<OrderServiceOptions>) =>
      postOf(describeOrders(options))?.parameters?.filter(({ name }) => name === "Priority");
    expect(parametersOf({ urgency: 5 })).toEqual([]);
    expect(parametersOf({ urgency: 5, clientUrgency: { from: 4, to: 6 } })).toEqual([
      {
        name: "Priority",
        in: "header",
        required: false,
        schema: { type: "string", examples: ["u=4"] },
        description: expect.stringMatching(/from 4, .* to 6\..* Default: 5\./),
      },
    ]);
  });

  it("marks only deprecated definitions as deprecated", () => {
    expect(postOf(describeOrders({ deprecated: { since: new Date(0) } }))?.deprecated).toBe(true);
    expect(postOf(describeOrders())).not.toHaveProperty("deprecated");
  });

  it("links a 202 to the operations that take its operationId", () => {
    const { paths } = documentOf("all options at once");
    const { get, delete: remove, parameters = [] } = paths["/operations/{operationId}"] ?? {};
    const links = Object.values(paths["/orders"]?.post?.responses[202]?.links ?? {});
    expect(links.map(({ operationId }) => operationId)).toEqual([get?.operationId, remove?.operationId]);
    for (const link of links) {
      expect(Object.keys(link.parameters)).toEqual(parameters.map(({ name }) => name));
      expect(Object.values(link.parameters)).toEqual(["$response.body#/operationId"]);
    }
  });

  it("has DELETE if a definition is cancellable, and lists those definitions", () => {
    const { paths } = documentOf("several definitions below a path");
    expect(paths["/api/v1/operations/{operationId}"]?.delete?.description).toContain("of `orders`.");
    expect(describeOrders().paths["/operations/{operationId}"]).not.toHaveProperty("delete");
  });

  it("describes the results that have a schema, and claims nothing about the others", () => {
    const { schemas } = documentOf("several definitions below a path").components;
    const results = ["Orders", "Assemblies", "Untold"].map((name) => schemas[`${name}Completed`]);
    expect(results).toMatchObject([
      { properties: { result: { description: expect.stringContaining("`orders`") } } },
      { properties: { result: { $ref: "#/components/schemas/AssembliesResult" } } },
      { properties: { result: { description: expect.stringContaining("`untold`") } } },
    ]);
  });

  it("tells the definitions of an operation apart by `definition`", () => {
    const { resolve, isValid } = readDocument(mixed);
    const any = { $ref: "#/components/schemas/Operation" };
    for (const [valid, operation] of [
      [true, { ...completed, definition: "pages", result: { count: 1 } }],
      [true, { ...completed, definition: "words", result: { length: 1 } }],
      [true, { ...pending, definition: "words", progress: { percent: 1 } }],
      [true, { ...pending, definition: "pages", progress: "any" }],
      [false, { ...completed, definition: "pages", result: { length: 1 } }],
      [false, { ...completed, definition: "words", result: { count: 1 } }],
      [false, { ...completed, definition: "others" }],
      [false, { ...pending, definition: "words", progress: "any" }],
    ] as const)
      expect([operation, isValid(any, operation)]).toEqual([operation, valid]);
    for (const status of ["Pending", "Completed"])
      expect(resolve({ $ref: `${SCHEMAS}${status}Operation` })).toMatchObject({
        discriminator: {
          propertyName: "definition",
          mapping: { pages: `${SCHEMAS}Pages${status}`, words: `${SCHEMAS}Words${status}` },
        },
      });
  });

  it("describes the end of one definition in the reply to a request that waited", () => {
    const { isValid } = readDocument(mixed);
    const { schema } = mixed.paths["/words"]?.post?.responses[200]?.content?.["application/json"] ?? {};
    expect(isValid(schema ?? {}, { ...completed, definition: "words", result: { length: 1 } })).toBe(true);
    expect(isValid(schema ?? {}, { ...completed, definition: "pages", result: { count: 1 } })).toBe(false);
  });

  it("describes an event of a stream by its data", () => {
    const { content = {} } = mixed.paths["/operations/{operationId}"]?.get?.responses[200] ?? {};
    expect(content["text/event-stream"]?.schema).toMatchObject(content["application/json"]?.schema ?? {});
  });

  it("describes the result without alternatives if there is one definition", () => {
    const service = createService({ definitions: [pages], authorize });
    const { components } = createOpenApiDocument(service, { info });
    expect(components.schemas.CompletedOperation).toMatchObject({
      properties: { result: { $ref: "#/components/schemas/PagesResult" } },
    });
    expect(components.schemas.PagesResult).toMatchObject({ type: "object", required: ["count"] });
  });

  it("claims nothing about an input without a JSON Schema", () => {
    const { components } = documentOf("several definitions below a path");
    expect(components.schemas.UntoldInput).toEqual({ description: expect.stringContaining("`untold`") });
  });

  it("has a schema for every problem type that a service with `authorize` sends", () => {
    const names = [
      "all options at once",
      "orders that are created before the reply",
      "operations with output",
    ];
    const text = JSON.stringify(names.map((name) => documentOf(name)));
    const described = [...text.matchAll(/"const":"[^"]+#([a-z-]+)"/g)].map(([, type]) => type);
    const anchors = [...page("README.md").text.matchAll(/<a id="([a-z-]+)"><\/a>/g)].map(([, type]) => type);
    const sent = anchors.filter((type) => type !== "not-configured");
    expect([...new Set(described)].sort()).toEqual(sent.sort());
  });

  it("says that an output can be too large only if there is one", () => {
    const problems = (document: OpenApiDocument) => Object.keys(document.components.schemas);
    expect(problems(describeLogs())).toContain("OutputTooLargeProblem");
    expect(problems(mixed)).not.toContain("OutputTooLargeProblem");
  });

  it("describes outputs, and the chunks of each definition that has some", () => {
    const { paths, components } = documentOf("operations with output");
    const get = paths["/operations/{operationId}/output"]?.get;
    expect(get).toMatchObject({ operationId: "getOutput", tags: ["Operations"] });
    expect(get?.parameters?.map(({ name }) => name)).toEqual([
      "offset",
      "live",
      "cursor",
      "If-None-Match",
      "Last-Event-ID",
    ]);
    const chunks = { anyOf: [`${SCHEMAS}AnswersChunks`, `${SCHEMAS}LogsChunks`].map(($ref) => ({ $ref })) };
    const content = get?.responses[200]?.content;
    expect(content?.["application/json"]?.schema).toEqual(chunks);
    expect(content?.["text/event-stream"]?.schema).toMatchObject(chunks);
    expect(components.schemas.LogsChunks).toMatchObject({
      type: "array",
      items: { $ref: `${SCHEMAS}LogsChunk` },
    });
    const output = { output: { type: "object", required: ["href", "closed"] } };
    expect(components.schemas.AnswersPending).toMatchObject({ properties: output });
    expect(components.schemas.FailedOperation).toMatchObject({ properties: output });
    expect(components.schemas.PlainPending?.properties).not.toHaveProperty("output");
    expect(Object.keys(documentOf("the order service").paths)).toEqual([
      "/orders",
      "/operations/{operationId}",
    ]);
  });

  it("describes only the ways to wait for output that the service has", () => {
    const definition = defineOperation({ name: "a", path: "/a", input: z.string(), chunk: z.string() });
    const options = { definitions: [definition], authorize, maxWaitMs: 0, maxStreamMs: 0 };
    const { paths } = createOpenApiDocument(createService(options), { info });
    const { parameters, responses } = paths["/operations/{operationId}/output"]?.get ?? {};
    expect(parameters?.map(({ name }) => name)).toEqual(["offset", "cursor", "If-None-Match"]);
    expect(Object.keys(responses?.[200]?.content ?? {})).toEqual(["application/json"]);
  });

  it("names the server that it came from, unless the options name servers", () => {
    expect(describeOrders().servers).toEqual([{ url: "/" }]);
    const servers = [{ url: "https://orders.example.com" }];
    expect(documentOf("the order service", { servers }).servers).toEqual(servers);
  });

  it.each(Object.keys(services))("is equal and new each time: %s", (name) => {
    const first = documentOf(name);
    const pristine = structuredClone(first);
    const second = documentOf(name);
    expect(second).toEqual(first);
    wreck(first);
    expect(second).toEqual(pristine);
    expect(documentOf(name)).toEqual(pristine);
  });
});

/** Changes everything in a document. */
function wreck(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) wreck(member);
  for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
}
