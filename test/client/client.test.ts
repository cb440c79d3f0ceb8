import { eventStream } from "async-request-reply/client";
import { expect, it } from "vitest";
import { openStage } from "../support/client-stage.js";

it("submits work and returns its result", async () => {
  const { api } = await openStage();
  const op = await api.orders.submit({ itemId: "book", quantity: 1 });
  expect(await op.result()).toEqual({ itemId: "book" });
});

it("fills path fields from the input and leaves them out of the body", async () => {
  const { api, requests, finish } = await openStage();
  finish("a/b ü");
  const op = await api.exports.submit({ accountId: "a/b ü", format: "parquet" });
  expect(await op.result()).toEqual({ url: "/a/b ü.parquet", at: "2026-11-22T00:00:00.000Z" });
  expect(requests[0]?.url).toBe("http://localhost/v1/accounts/a%2Fb%20%C3%BC/exports");
});

it("iterates over the progress up to the end", async () => {
  const { api, finish } = await openStage();
  const op = await api.exports.submit({ accountId: "a" });
  const seen: unknown[] = [];
  for await (const state of op) {
    if (state.status === "pending" && state.progress !== undefined) finish("a");
    seen.push(state.status === "pending" ? state.progress?.percent : state.status);
  }
  expect(seen.filter((one) => one !== undefined)).toEqual([50, "completed"]);
});

it("iterates over an event stream on one connection", async () => {
  const { connect, requests, finish } = await openStage();
  const op = await connect({ eventStream }).exports.submit({ accountId: "a" });
  const seen: unknown[] = [];
  for await (const state of op) {
    if (state.status === "pending" && state.progress !== undefined) finish("a");
    seen.push(state.status === "pending" ? state.progress?.percent : state.status);
  }
  expect(seen.filter((one) => one !== undefined)).toEqual([50, "completed"]);
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
});

it("rejects with the problem of the operation if the work failed", async () => {
  const { api } = await openStage();
  const op = await api.orders.submit({ itemId: "unicorn", quantity: 1 });
  await expect(op.result()).rejects.toMatchObject({
    code: "OPERATION_FAILED",
    detail: "Unicorns are sold out.",
    context: { problem: { name: "work-failed" } },
  });
});

it("rejects with the problem of the reply if the submission is refused", async () => {
  const { api, requests } = await openStage();
  await expect(api.orders.submit({ itemId: "book", quantity: 0.5 })).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    context: { problem: { status: 422, errors: [{ pointer: "#/quantity" }] } },
  });
  expect(requests).toHaveLength(1);
});

it("rejects with its own code if the operation was cancelled", async () => {
  const { api } = await openStage();
  const op = await api.exports.submit({ accountId: "a" });
  await op.cancel();
  await expect(op.result()).rejects.toMatchObject({
    code: "OPERATION_CANCELLED",
    detail: "The operation was cancelled before its work was done.",
    context: { problem: { name: "cancelled" } },
  });
});

it("rejects if the definition is not cancellable", async () => {
  const { api } = await openStage();
  const op = await api.orders.submit({ itemId: "book", quantity: 1 });
  await expect(op.cancel()).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    context: { problem: { status: 405 } },
  });
});

it("resumes a handle that was saved as JSON, in another client", async () => {
  const { api, connect, finish } = await openStage();
  const saved = JSON.stringify(await api.exports.submit({ accountId: "a" }));
  finish("a");
  expect(await connect().exports.resume(saved).result()).toMatchObject({ url: "/a.csv" });
  expect(await connect().exports.resume(JSON.parse(saved)).result()).toMatchObject({ url: "/a.csv" });
});

it.each<readonly [string, (id: string) => unknown]>([
  ["an id", (id) => id],
  ["an object with an id", (operationId) => ({ operationId })],
  ["an object with an id as JSON", (operationId) => JSON.stringify({ operationId })],
  ["the body of a 202", (operationId) => ({ operationId, status: "pending" })],
  ["the path of a `Location`", (id) => `/v1/operations/${id}`],
  ["the address of a `Location`", (id) => `https://api.example.com/v1/operations/${id}`],
])("resumes %s, as server code returns it", async (_, saved) => {
  const { api } = await openStage();
  const { operationId } = await api.orders.submit({ itemId: "book", quantity: 1 });
  const op = api.orders.resume(saved(operationId));
  expect([op.operationId, await op.result()]).toEqual([operationId, { itemId: "book" }]);
});

it("does not show operations to another tenant", async () => {
  const { api, connect } = await openStage();
  const saved = JSON.stringify(await api.orders.submit({ itemId: "book", quantity: 1 }));
  const other = connect({ headers: { authorization: "Bearer other" } });
  const unknown = { context: { problem: { status: 404 } } };
  await expect(other.orders.resume(saved).result()).rejects.toMatchObject(unknown);
});

it("returns the resource that was created before the reply, and later the result", async () => {
  const { api } = await openStage();
  const op = await api.bookings.submit({ room: 7 });
  expect(op.resource).toEqual({ room: 7, status: "pending" });
  expect(await op.result()).toEqual({ room: 7 });
});

it("needs one request for short work if the submission waits", async () => {
  const { api, requests } = await openStage();
  const op = await api.orders.submit({ itemId: "book", quantity: 1 }, { waitMs: 5_000 });
  expect(await op.result()).toEqual({ itemId: "book" });
  expect(requests).toHaveLength(1);
});

it("replays an operation if the key is used again, also if the key has quotes and backslashes", async () => {
  const { api } = await openStage();
  const [first, second] = await Promise.all(
    [0, 1].map(() => api.orders.submit({ itemId: "book", quantity: 1 }, { key: 'cart "7"\\, 2' })),
  );
  expect(second?.operationId).toBe(first?.operationId);
});

it("stops waiting when the signal is aborted, and the operation continues", async () => {
  const { api, finish } = await openStage();
  const op = await api.exports.submit({ accountId: "a" });
  const leaving = new AbortController();
  const waiting = op.result({ signal: leaving.signal });
  leaving.abort(new Error("The page was left."));
  await expect(waiting).rejects.toThrow("The page was left.");
  finish("a");
  expect(await op.result()).toMatchObject({ url: "/a.csv" });
});

it("is not thenable, so that await returns the handle", async () => {
  const { api } = await openStage();
  expect("then" in (await api.orders.submit({ itemId: "book", quantity: 1 }))).toBe(false);
});
