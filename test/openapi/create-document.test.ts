import { randomUUID } from "node:crypto";
import {
  AsyncReplyError,
  bearer,
  createOrderService,
  createService,
  defineOperation,
} from "async-request-reply";
import {
  createOpenApiDocument,
  type OpenApiDocument,
  type OpenApiOptions,
} from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { documentOf, info, services } from "../support/openapi-services.js";
import { page } from "../support/pages.js";
import { readDocument } from "./document-reader.js";

const authorize = bearer({ "token-of-a": "a" });
const AT = "2026-11-01T00:00:00.000Z";
const pages = defineOperation({
  name: "pages",
  path: "/pages",
  input: z.int(),
  result: z.object({ count: z.int() }),
});
const words = defineOperation({
  name: "words",
  path: "/words",
  input: z.string(),
  result: z.object({ length: z.int() }),
  progress: z.object({ percent: z.number() }),
});
const mixed = createOpenApiDocument(createService({ definitions: [pages, words], authorize }), { info });
const describeOrders = (options: Partial<Parameters<typeof createOrderService>[0]> = {}): OpenApiDocument =>
  createOpenApiDocument(createOrderService({ authorize, ...options }), { info });

describe("the document of a service", () => {
  it("has the paths of the definitions and the status endpoint, behind the base path", () => {
    const { paths } = documentOf("several definitions below a path");
    expect(Object.keys(paths)).toEqual([
      "/api/v1/orders",
      "/api/v1/assemblies",
      "/api/v1/untold",
      "/api/v1/operations/{operationId}",
    ]);
    expect(paths["/api/v1/assemblies"]?.post).toMatchObject({
      operationId: "submitAssemblies",
      tags: ["assemblies"],
    });
  });

  it("describes bodies in every media type that is read, and replies in every media type that is written", () => {
    const { paths } = documentOf("a custom format");
    const { requestBody, responses } = paths["/orders"]?.post ?? {};
    expect(Object.keys(requestBody?.content ?? {})).toEqual([
      "application/json",
      "application/example",
      "text/example",
    ]);
    expect(Object.keys(responses?.[202]?.content ?? {})).toEqual(["application/json", "application/example"]);
    expect(Object.keys(responses?.[400]?.content ?? {})).toEqual([
      "application/problem+json",
      "application/problem+example",
    ]);
    expect(responses?.[415]?.headers.Accept).toMatchObject({
      schema: { const: "application/json, application/example" },
    });
  });

  it("states the limits of a body", () => {
    const { paths } = describeOrders({ maxBodyBytes: 1_234, maxDepth: 5, bodyTimeoutMs: 678 });
    const { description } = paths["/orders"]?.post?.requestBody ?? {};
    expect(description).toMatch(/\b1234 bytes.* 678 ms.* 5 deep/);
  });

  it.each(["optional", "required"] as const)("declares the key as %s", (idempotencyKey) => {
    const { paths } = describeOrders({ idempotencyKey });
    const [parameter] = paths["/orders"]?.post?.parameters ?? [];
    expect(parameter).toMatchObject({
      name: "Idempotency-Key",
      in: "header",
      required: idempotencyKey === "required",
    });
  });

  it("describes `Priority` only if clients may choose the urgency", () => {
    const parametersOf = (options: Parameters<typeof describeOrders>[0]): unknown[] =>
      describeOrders(options).paths["/orders"]?.post?.parameters?.filter(({ name }) => name === "Priority") ??
      [];
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
    expect(describeOrders({ deprecated: { since: new Date(0) } }).paths["/orders"]?.post?.deprecated).toBe(
      true,
    );
    expect(describeOrders().paths["/orders"]?.post).not.toHaveProperty("deprecated");
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
    const operation = { operationId: randomUUID(), createdAt: AT, attempt: 1 };
    const completed = { ...operation, status: "completed", finishedAt: AT };
    const pending = { ...operation, status: "pending" };
    const judge = (values: readonly object[]): boolean[] => values.map((value) => isValid(any, value));
    expect(
      judge([
        { ...completed, definition: "pages", result: { count: 1 } },
        { ...completed, definition: "words", result: { length: 1 } },
        { ...pending, definition: "words", progress: { percent: 1 } },
        { ...pending, definition: "pages", progress: "any" },
      ]),
    ).toEqual([true, true, true, true]);
    expect(
      judge([
        { ...completed, definition: "pages", result: { length: 1 } },
        { ...completed, definition: "words", result: { count: 1 } },
        { ...completed, definition: "others" },
        { ...pending, definition: "words", progress: "any" },
      ]),
    ).toEqual([false, false, false, false]);
    for (const status of ["Pending", "Completed"])
      expect(resolve({ $ref: `#/components/schemas/${status}Operation` })).toMatchObject({
        discriminator: {
          propertyName: "definition",
          mapping: {
            pages: `#/components/schemas/Pages${status}`,
            words: `#/components/schemas/Words${status}`,
          },
        },
      });
  });

  it("describes the end of one definition in the reply to a request that waited", () => {
    const { isValid } = readDocument(mixed);
    const { schema } = mixed.paths["/words"]?.post?.responses[200]?.content?.["application/json"] ?? {};
    const ended = {
      operationId: randomUUID(),
      createdAt: AT,
      attempt: 1,
      status: "completed",
      finishedAt: AT,
    };
    expect(isValid(schema ?? {}, { ...ended, definition: "words", result: { length: 1 } })).toBe(true);
    expect(isValid(schema ?? {}, { ...ended, definition: "pages", result: { count: 1 } })).toBe(false);
  });

  it("describes an event of a stream by its data", () => {
    const { content = {} } = mixed.paths["/operations/{operationId}"]?.get?.responses[200] ?? {};
    expect(content["text/event-stream"]?.schema).toMatchObject(content["application/json"]?.schema ?? {});
  });

  it("describes the result without alternatives if there is one definition", () => {
    const { components } = createOpenApiDocument(createService({ definitions: [pages], authorize }), {
      info,
    });
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
    const texts = ["all options at once", "orders that are created before the reply"].map((name) =>
      JSON.stringify(documentOf(name)),
    );
    const described = texts.flatMap((text) =>
      [...text.matchAll(/"const":"[^"]+#([a-z-]+)"/g)].map(([, type]) => type),
    );
    const anchors = [...page("README.md").text.matchAll(/<a id="([a-z-]+)"><\/a>/g)].map(([, type]) => type);
    const sent = anchors.filter((type) => type !== "not-configured");
    expect([...new Set(described)].sort()).toEqual(sent.sort());
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

  it.each([
    ["info", { info: undefined }],
    ["info.title", { info: { version: "1" } }],
    ["info.version", { info: { title: "Orders", version: "" } }],
    ["security", { info, security: [{ unheard: [] }] }],
  ])("is refused without what it needs: %s", (option, options) => {
    const service = createOrderService({ authorize });
    const attempt = (): unknown => createOpenApiDocument(service, options as unknown as OpenApiOptions);
    expect(attempt).toThrow(AsyncReplyError);
    expect(attempt).toThrow(`\`${option}`);
  });
});

/** Changes everything in a document. */
function wreck(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) wreck(member);
  for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
}
