import type { OpenApiDocument } from "async-request-reply/openapi";
import { problemType } from "async-request-reply/ports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOrdersClient, type OrdersClient } from "../support/orders-client.js";
import type { ServerProcess, StartServer } from "../support/orders-server-process.js";

/** The namespace of docs/yang/order-submission.yang. */
const YANG = "https://www.npmjs.com/package/async-request-reply#order-submission";

const order = { itemId: "book", quantity: 1 };

/** Declares the tests of the example server's HTTP interface, for any back end. They share one server. */
export function declareServerContract(start: StartServer): void {
  let server: ServerProcess;
  let client: OrdersClient;
  beforeAll(async () => {
    server = await start({ API_TOKENS: "demo-token=demo,other-token=other", WORK_MS: "20" });
    client = createOrdersClient(server.baseUrl);
  }, 60_000);
  afterAll(() => server?.kill());

  it("accepts an order with 202, Location and Retry-After", async () => {
    const response = await client.submit(order);
    const body = (await response.json()) as { readonly operationId: string };
    expect(response.status).toBe(202);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("location")).toBe(`/operations/${body.operationId}`);
    expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(body).toEqual({ operationId: expect.any(String), status: "pending" });
  });

  it("shows the operation as completed, with its result, once the work is done", async () => {
    const location = await client.accepted(order);
    expect(await client.settled(location)).toMatchObject({
      operationId: location.slice("/operations/".length),
      status: "completed",
      result: { shipped: true, itemId: "book", quantity: 1 },
    });
  });

  it.each([
    ["application/yaml", "{ itemId: book, quantity: 1 }"],
    ["application/xml", "<order><itemId>book</itemId><quantity>1</quantity></order>"],
    ["application/yang-data+json", '{"order-submission:order":{"itemId":"book","quantity":"1"}}'],
    [
      "application/yang-data+xml",
      `<order xmlns="${YANG}"><itemId>book</itemId><quantity>1</quantity></order>`,
    ],
  ])("reads and writes %s", async (type, body) => {
    const response = await client.submit(body, { "content-type": type, accept: type });
    expect(response.status).toBe(202);
    expect(response.headers.get("content-type")).toBe(type);
    const location = response.headers.get("location") ?? "";
    expect(await client.settled(location)).toMatchObject({ status: "completed", result: { quantity: 1 } });
  });

  it("replays the operation when a key is used again", async () => {
    const key = { "idempotency-key": '"again"' };
    const first = await client.submit(order, key);
    // The same value with different whitespace, member order and number format.
    const second = await client.submit('{ "quantity": 1.0, "itemId": "book" }', key);
    const ids = [await first.json(), await second.json()] as { readonly operationId: string }[];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(ids[1]?.operationId).toBe(ids[0]?.operationId);
  });

  it("refuses a key that is reused with a different order", async () => {
    const key = { "idempotency-key": "another" };
    await client.submit(order, key);
    const response = await client.submit({ ...order, quantity: 2 }, key);
    expect(await problemOf(response)).toMatchObject({
      status: 422,
      type: problemType("idempotency-key-reused"),
    });
  });

  it("keeps equal keys of two principals apart", async () => {
    const key = { "idempotency-key": "shared" };
    const mine = await client.submit(order, key);
    const theirs = await createOrdersClient(server.baseUrl, "other-token").submit(
      { ...order, quantity: 2 },
      key,
    );
    expect([mine.status, theirs.status]).toEqual([202, 202]);
    expect(theirs.headers.get("location")).not.toBe(mine.headers.get("location"));
  });

  it("hides an operation from another principal", async () => {
    const location = await client.accepted(order);
    const headers = { authorization: "Bearer other-token" };
    expect((await fetch(`${server.baseUrl}${location}`, { headers })).status).toBe(404);
  });

  it.each([
    ["without a token", undefined],
    ["with an unknown token", "Bearer nobody"],
  ])("refuses a request %s and says how to authenticate", async (_, authorization) => {
    const response = await client.submit(order, { authorization });
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(await problemOf(response)).toMatchObject({ status: 401, type: problemType("unauthenticated") });
  });

  it("refuses a repeated name that is hidden by an escape", async () => {
    const response = await client.submit('{"itemId":"book","\\u0069temId":"pen","quantity":1}');
    expect(await problemOf(response)).toMatchObject({ status: 400, type: problemType("malformed-body") });
  });

  it.each([
    ["a quantity of 0", { itemId: "book", quantity: 0 }, "#/quantity"],
    ["a quantity that is a string", { itemId: "book", quantity: "2" }, "#/quantity"],
    ["a quantity that is not an integer", { itemId: "book", quantity: 1.5 }, "#/quantity"],
    ["no quantity", { itemId: "book" }, "#/quantity"],
    ["an unknown member", { itemId: "book", quantity: 1, gift: true }, "#/gift"],
  ])("refuses an order with %s, and reports its pointer", async (_, body, pointer) => {
    expect(await problemOf(await client.submit(body))).toMatchObject({
      status: 422,
      type: problemType("contract-violation"),
      errors: [{ pointer, detail: expect.any(String) }],
    });
  });

  it("serves its OpenAPI document without authentication", async () => {
    const reply = await fetch(`${server.baseUrl}/openapi.json`);
    expect(reply.status).toBe(200);
    const { info, paths, security } = (await reply.json()) as OpenApiDocument;
    expect(info.title).toBe("Orders");
    expect(Object.keys(paths)).toEqual(["/orders", "/operations/{operationId}"]);
    expect(security).toEqual([{ bearer: [] }]);
  });

  it("shows work that failed permanently as failed, with a readable reason", async () => {
    const operation = await client.settled(await client.accepted({ itemId: "fail-1", quantity: 1 }));
    expect(operation.status).toBe("failed");
    expect(operation.error).toMatchObject({
      type: problemType("work-failed"),
      detail: "The item fail-1 is out of stock.",
    });
  });
}

/** Returns the problem of a refusal, after checking that its `status` equals the status of the reply. */
async function problemOf(response: Response): Promise<unknown> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = (await response.json()) as { readonly status: number; readonly title: string };
  expect(problem).toMatchObject({ status: response.status, title: expect.any(String) });
  return problem;
}
