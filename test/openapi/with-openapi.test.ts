import {
  AsyncReplyError,
  bearer,
  createOrderService,
  createWorker,
  type HttpRequest,
  type OrderServiceOptions,
} from "async-request-reply";
import { createOpenApiDocument, type WithOpenApiOptions, withOpenApi } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import { jsonPost } from "../service/open-service.js";
import { info } from "../support/openapi-services.js";

const known = bearer({ "token-of-a": "a" });

function serve(options: Partial<OrderServiceOptions> = {}, document: Partial<WithOpenApiOptions> = {}) {
  const plain = createOrderService({ authorize: known, ...options });
  const service = withOpenApi(plain, { info, ...document });
  const send = (method: string, path: string, headers: HttpRequest["headers"] = {}) =>
    service.handle({ method, path, headers });
  return { plain, service, send };
}

describe("a service with its document", () => {
  it("replies to any GET with the document", async () => {
    const { plain, send } = serve();
    const { status, headers, body } = await send("GET", "/openapi.json?version=1");
    expect(status).toBe(200);
    expect(JSON.parse(String(body))).toEqual(createOpenApiDocument(plain, { info }));
    expect(headers).toEqual({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(String(body))),
      "cache-control": "no-cache",
      etag: expect.stringMatching(/^"[^"]+"$/),
      vary: "accept",
      "x-content-type-options": "nosniff",
    });
  });

  it("replies to HEAD in the same way, without the body", async () => {
    const { send } = serve();
    const { status, headers } = await send("GET", "/openapi.json");
    expect(await send("HEAD", "/openapi.json")).toEqual({ status, headers });
  });

  it.each(["GET", "HEAD"])("replies to %s with 304 if the tag matches", async (method) => {
    const { send } = serve();
    const { headers } = await send("GET", "/openapi.json");
    const { etag = "" } = headers;
    const { "content-type": _, "content-length": __, ...kept } = headers;
    const unchanged = await send(method, "/openapi.json", { "if-none-match": etag });
    expect(unchanged).toEqual({ status: 304, headers: kept });
    expect((await send(method, "/openapi.json", { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("uses equal tags for equal documents only", async () => {
    const tagOf = async (options?: Partial<OrderServiceOptions>) =>
      (await serve(options).send("GET", "/openapi.json")).headers.etag;
    expect(await tagOf()).toBe(await tagOf());
    expect(await tagOf({ cancellable: true })).not.toBe(await tagOf());
  });

  it("replies to OPTIONS with the methods, and to others with 405", async () => {
    const { send } = serve();
    const allow = "GET, HEAD, OPTIONS";
    expect(await send("OPTIONS", "/openapi.json")).toEqual({ status: 204, headers: { allow } });
    const refused = await send("POST", "/openapi.json");
    const headers = { allow, "content-type": "application/problem+json" };
    expect(refused).toMatchObject({ status: 405, headers });
    expect(JSON.parse(String(refused.body)).type).toMatch(/#method-not-allowed$/);
  });

  it("replies 406 if JSON is not acceptable", async () => {
    expect((await serve().send("GET", "/openapi.json", { accept: "text/html" })).status).toBe(406);
    expect((await serve().send("GET", "/openapi.json", { accept: "text/html, */*;q=0.1" })).status).toBe(200);
  });

  it("serves the document behind the base path, at the path in the options", async () => {
    const { send } = serve({ basePath: "/api" }, { path: "/docs/openapi.json" });
    expect((await send("GET", "/api/docs/openapi.json")).status).toBe(200);
    for (const path of ["/docs/openapi.json", "/api/openapi.json"])
      expect((await send("GET", path)).status).toBe(404);
  });

  it("calls authorize and admit first if the options say so", async () => {
    const asked: unknown[] = [];
    const admit: OrderServiceOptions["admit"] = (_request, { id }, authorization) => {
      asked.push([id, authorization]);
      return undefined;
    };
    const { send } = serve({ admit }, { authorize: true });
    expect(await send("GET", "/openapi.json")).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="operations"' },
    });
    expect(await send("HEAD", "/openapi.json")).not.toHaveProperty("body");
    const allowed = await send("GET", "/openapi.json", { authorization: "Bearer token-of-a" });
    expect(allowed).toMatchObject({ status: 200, headers: { "cache-control": "private, no-cache" } });
    expect(asked).toEqual([["a", { action: "read", params: {} }]]);
  });

  it("passes every other request to the service, and works with a worker", async () => {
    const { service, send } = serve();
    const headers = { authorization: "Bearer token-of-a" };
    const accepted = await service.handle(jsonPost("/orders", { itemId: "book", quantity: 1 }, headers));
    expect(accepted.status).toBe(202);
    await createWorker(service, { orders: ({ quantity }) => ({ shipped: quantity }) }).runUntilIdle();
    const read = await send("GET", accepted.headers.location ?? "", headers);
    expect(JSON.parse(String(read.body))).toMatchObject({ status: "completed", result: { shipped: 1 } });
    expect((await send("GET", "/openapi")).status).toBe(404);
  });

  it.each(["openapi.json", "/openapi json", "/orders", "/operations/1", ""])(
    "refuses the path %j",
    (path) => {
      const attempt = (): unknown => serve({}, { path });
      expect(attempt).toThrow(AsyncReplyError);
      expect(attempt).toThrow("`path`");
    },
  );
});
