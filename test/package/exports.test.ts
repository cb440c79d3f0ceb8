import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { builtFile, manifest } from "./built.js";

const require = createRequire(import.meta.url);

async function names(subpath: string): Promise<string[]> {
  const built = (await import(pathToFileURL(builtFile(subpath, "import")).href)) as object;
  return Object.keys(built).sort();
}

describe("the exports of the package", () => {
  it("has the subpaths", () => {
    expect(Object.keys(manifest.exports)).toMatchInlineSnapshot(`
      [
        ".",
        "./express",
        "./fetch",
        "./node",
        "./openapi",
        "./operator",
        "./postgres",
        "./testing",
        "./xml",
        "./yaml",
        "./yang",
      ]
    `);
  });

  it("has the names of .", async () => {
    expect(await names(".")).toMatchInlineSnapshot(`
      [
        "AsyncReplyError",
        "allowAnonymous",
        "apiKey",
        "bearer",
        "cancelOperation",
        "createConsoleObserver",
        "createMemoryBackend",
        "createOrderService",
        "createService",
        "createWorker",
        "defineOperation",
        "defineOrders",
        "forbidden",
        "getOperation",
        "isAsyncReplyError",
        "listOperations",
        "logEvents",
        "parseAnnouncement",
        "permanentFailure",
        "problemType",
        "retryLater",
        "submitOperation",
        "submitOrder",
        "unauthenticated",
        "withQueue",
        "withStores",
      ]
    `);
  });

  it("has the names of ./express", async () => {
    expect(await names("./express")).toMatchInlineSnapshot(`
      [
        "toExpressHandler",
      ]
    `);
  });

  it("has the names of ./fetch", async () => {
    expect(await names("./fetch")).toMatchInlineSnapshot(`
      [
        "toFetchHandler",
      ]
    `);
  });

  it("has the names of ./node", async () => {
    expect(await names("./node")).toMatchInlineSnapshot(`
      [
        "toNodeHandler",
      ]
    `);
  });

  it("has the names of ./openapi", async () => {
    expect(await names("./openapi")).toMatchInlineSnapshot(`
      [
        "createOpenApiDocument",
        "withOpenApi",
      ]
    `);
  });

  it("has the names of ./operator", async () => {
    expect(await names("./operator")).toMatchInlineSnapshot(`
      [
        "createOperator",
      ]
    `);
  });

  it("has the names of ./postgres", async () => {
    expect(await names("./postgres")).toMatchInlineSnapshot(`
      [
        "createPostgresBackend",
        "fromPGlite",
        "postgresMigrations",
      ]
    `);
  });

  it("has the names of ./testing", async () => {
    expect(await names("./testing")).toMatchInlineSnapshot(`
      [
        "SimulationFailure",
        "adapterCases",
        "createManualClock",
        "idempotencyStoreCases",
        "operationStoreCases",
        "queueCases",
        "runnableCases",
        "simulate",
        "submissionsCases",
      ]
    `);
  });

  it("has the names of ./xml", async () => {
    expect(await names("./xml")).toMatchInlineSnapshot(`
      [
        "xmlFormat",
      ]
    `);
  });

  it("has the names of ./yaml", async () => {
    expect(await names("./yaml")).toMatchInlineSnapshot(`
      [
        "yamlFormat",
      ]
    `);
  });

  it("has the names of ./yang", async () => {
    expect(await names("./yang")).toMatchInlineSnapshot(`
      [
        "createYangFormats",
        "orderYangFormats",
      ]
    `);
  });

  it.each(Object.keys(manifest.exports))("exports the same names of %s in CommonJS", async (subpath) => {
    const built = require(builtFile(subpath, "require")) as object;
    expect(Object.keys(built).sort()).toEqual(await names(subpath));
  });
});
