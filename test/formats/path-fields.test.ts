import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createService,
  defineOperation,
  type HttpResponse,
  type JsonSchema,
  type Service,
} from "async-request-reply";
import { submitOperation } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { allFormats, besidesJson } from "../support/all-formats.js";
import { allOperations } from "../support/all-operations.js";
import { anything } from "../support/careless-schema.js";

const input = z.strictObject({
  accountId: z.string(),
  year: z.int(),
  complete: z.boolean().optional(),
  formats: z.array(z.string()).optional(),
});
const path = "/accounts/{accountId}/years/{year}";
const exportsOf = defineOperation({ name: "exports", path, input });

function serve(backend: Backend, definition: typeof exportsOf | typeof untyped = exportsOf): Service {
  const formats = definition === untyped ? besidesJson.slice(0, 2) : besidesJson;
  return createService({ backend, definitions: [definition], authorize: allowAnonymous(), formats });
}

/** Has no JSON Schema. */
const untyped = defineOperation({ name: "exports", path, input: anything });

const order = "order-submission";
const namespace = "https://www.npmjs.com/package/async-request-reply#order-submission";

/** Bodies without the path fields, with and without another member, by media type. */
const bodies: Readonly<Record<string, readonly [empty: string, other: string]>> = {
  "application/json": ["{}", '{"complete":true}'],
  "application/yaml": ["{}", "complete: true"],
  "application/xml": ["<exports/>", "<exports><complete>true</complete></exports>"],
  "application/yang-data+json": [`{"${order}:exports":{}}`, `{"${order}:exports":{"complete":true}}`],
  "application/yang-data+xml": [
    `<exports xmlns="${namespace}"/>`,
    `<exports xmlns="${namespace}"><complete>true</complete></exports>`,
  ],
};

/** Returns a body that repeats a path field, with this year. */
function repeating(type: string, year: number): string {
  return allFormats[type]?.serialize({ year }, { kind: "resource", name: "exports", schema }) ?? "";
}

const schema = (exportsOf.jsonSchema ?? {}) as JsonSchema;

function send(service: Service, type: string, at: string, body: string): Promise<HttpResponse> {
  const headers = { "content-type": type, "idempotency-key": "k" };
  return service.handle({ method: "POST", path: at, headers, body });
}

async function inputs(backend: Backend): Promise<string[]> {
  return (await allOperations(backend.operations)).map((operation) => operation.input);
}

const AT = "/accounts/a%2F1/years/2026";
const types = Object.keys(allFormats);

describe("path fields", () => {
  it.each(types)("are members of the input: %s", async (type) => {
    const [empty = "", other = ""] = bodies[type] ?? [];
    for (const [body, complete] of [
      [empty, ""],
      [other, '"complete":true,'],
    ] as const) {
      const backend = createMemoryBackend();
      expect((await send(serve(backend), type, AT, body)).status).toBe(202);
      expect(await inputs(backend)).toEqual([`{"accountId":"a/1",${complete}"year":2026}`]);
    }
  });

  it.each(types)("can be repeated in the body only with an equal value: %s", async (type) => {
    const backend = createMemoryBackend();
    const refused = await send(serve(backend), type, AT, repeating(type, 2025));
    expect(refused.status).toBe(422);
    expect(await inputs(backend)).toEqual([]);
    expect((await send(serve(backend), type, AT, repeating(type, 2026))).status).toBe(202);
    expect(await inputs(backend)).toEqual(['{"accountId":"a/1","year":2026}']);
  });

  it.each(types.flatMap((first) => types.map((second) => [first, second] as const)))(
    "belong to the payload of a retry: %s, then %s",
    async (first, second) => {
      const backend = createMemoryBackend();
      const service = serve(backend);
      await send(service, first, AT, bodies[first]?.[1] ?? "");
      const body = bodies[second]?.[1] ?? "";
      for (const at of [AT, "/accounts/%61%2F1/years/2026", "/accounts/a%2F1/years/2.026e3"])
        expect((await send(service, second, at, body)).headers["idempotent-replayed"]).toBe("true");
      for (const at of ["/accounts/a%2F2/years/2026", "/accounts/a%2F1/years/2025"])
        expect((await send(service, second, at, body)).status).toBe(422);
      expect((await send(service, second, AT, bodies[second]?.[0] ?? "")).status).toBe(422);
      expect(await inputs(backend)).toHaveLength(1);
    },
  );

  const untypedTypes = types.slice(0, 3);

  it.each(untypedTypes)("are strings if there is no schema: %s", async (type) => {
    const backend = createMemoryBackend();
    const service = serve(backend, untyped);
    expect((await send(service, type, AT, bodies[type]?.[0] ?? "")).status).toBe(202);
    expect(await inputs(backend)).toEqual(['{"accountId":"a/1","year":"2026"}']);
  });

  it.each(untypedTypes)(
    "are recognized in a retry after a deploy that changed their type: %s",
    async (type) => {
      const backend = createMemoryBackend();
      const body = bodies[type]?.[0] ?? "";
      const at = "/accounts/a%2F1/years/2026.0";
      await send(serve(backend, untyped), type, at, body);
      const again = await send(serve(backend), type, at, body);
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect((await send(serve(backend), type, "/accounts/a%2F1/years/2025", body)).status).toBe(422);
    },
  );

  it("do not change other members of the body", async () => {
    const backend = createMemoryBackend();
    const body = "<exports><formats>csv</formats><formats>pdf</formats></exports>";
    expect((await send(serve(backend), "application/xml", AT, body)).status).toBe(202);
    expect(await inputs(backend)).toEqual(['{"accountId":"a/1","formats":["csv","pdf"],"year":2026}']);
  });
});

describe("a handler without the router", () => {
  const headers = { "content-type": "application/json" };

  it("binds the path fields itself", async () => {
    const backend = createMemoryBackend();
    const service = serve(backend);
    const request = { method: "POST", path: `${AT}?page=1`, headers, body: "{}" };
    expect((await submitOperation(request, service, exportsOf)).status).toBe(202);
    expect(await inputs(backend)).toEqual(['{"accountId":"a/1","year":2026}']);
  });

  it("replies 404 to a path that does not match", async () => {
    const service = serve(createMemoryBackend());
    for (const at of ["/", "/accounts/a/years", "/accounts//years/1", "/accounts/%/years/1", `${AT}/x`]) {
      const request = { method: "POST", path: at, headers, body: "{}" };
      expect((await submitOperation(request, service, exportsOf)).status).toBe(404);
    }
  });
});
