import type { OpenApiDocument } from "async-request-reply/openapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "./server-process.js";

describe("the example server", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.kill());

  it("shows its OpenAPI document to anybody", async () => {
    const reply = await fetch(`${server.baseUrl}/openapi.json`);
    expect(reply.status).toBe(200);
    const { info, paths, security } = (await reply.json()) as OpenApiDocument;
    expect(info.title).toBe("Orders");
    expect(Object.keys(paths)).toEqual(["/orders", "/operations/{operationId}"]);
    expect(security).toEqual([{ bearer: [] }]);
  });
});
