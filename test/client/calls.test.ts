import { eventStream, listOperations } from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import { openStage } from "../support/client-stage.js";
import { accepted, book, completed, ID, pending, play, reply, saved } from "./scripted.js";

describe("the header fields of a call", () => {
  it("are sent with every request of the call, and replace those of the client in any spelling", async () => {
    const { connect, requests } = await openStage();
    const { orders } = connect({ headers: { Authorization: "Bearer secret", "x-a": "1" }, eventStream });
    const headers = { authorization: "Bearer other", "X-B": "2" };
    const op = await orders.submit(book, { headers });
    await op.result({ headers });
    for await (const _ of orders.resume(JSON.stringify(op)).states({ headers }));
    await op.get({ headers });
    await listOperations(orders, { headers }).next();
    await expect(op.cancel({ headers })).rejects.toMatchObject({ context: { problem: { status: 405 } } });
    expect(requests.length).toBeGreaterThanOrEqual(6);
    for (const { headers: sent } of requests)
      expect(Object.fromEntries(sent)).toMatchObject({
        authorization: "Bearer other",
        "x-a": "1",
        "x-b": "2",
      });
  });

  it("do not replace those that the protocol needs", async () => {
    const { api, sent } = play([accepted]);
    const headers = { "Idempotency-Key": '"other"', "Content-Type": "text/plain" };
    await api.orders.submit(book, { key: "cart-7", headers });
    expect(sent("idempotency-key")).toEqual(['"cart-7"']);
    expect(sent("content-type")).toEqual(["application/json"]);
  });

  it("do not stop the client from asking for its own once more after a 401", async () => {
    const { api, log } = play([() => reply(401), accepted], { headers: () => ({}) });
    await api.orders.submit(book, { headers: { "x-a": "1" } });
    expect(log).toHaveLength(2);
  });
});

it("a submission can choose the receiver of its webhook", async () => {
  const { api, sent } = play([accepted]);
  await api.orders.submit(book, { webhookUrl: "https://hooks.example.com/a" });
  await api.orders.submit(book);
  expect(sent("webhook-url")).toEqual(["https://hooks.example.com/a", null]);
});

describe("one read", () => {
  it("returns the current state without waiting", async () => {
    const { api, log } = play([pending, completed]);
    const op = api.orders.resume(saved);
    expect(await op.get()).toMatchObject({ status: "pending" });
    expect(await op.get()).toMatchObject({ status: "completed", result: "done" });
    expect(log).toEqual([`0.0 GET /operations/${ID}`, `0.0 GET /operations/${ID}`]);
  });

  it("returns undefined if the service has no such operation", async () => {
    const { api, requests } = await openStage();
    expect(await api.orders.resume(saved).get()).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it("rejects if the service refuses it otherwise", async () => {
    const { api } = play([() => reply(403)]);
    await expect(api.orders.resume(saved).get()).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
  });
});

describe("a cancellation", () => {
  it("says that a running operation was asked to stop, and later that it was cancelled", async () => {
    const { api } = await openStage();
    const op = await api.exports.submit({ accountId: "a" });
    for await (const state of op) if (state.status === "pending" && state.progress !== undefined) break;
    expect(await op.cancel()).toMatchObject({
      outcome: "requested",
      operation: { status: "pending", cancelRequested: true },
    });
    await expect(op.result()).rejects.toMatchObject({ code: "OPERATION_CANCELLED" });
    expect(await op.cancel()).toMatchObject({
      outcome: "cancelled",
      operation: { status: "failed", error: { name: "cancelled" } },
    });
  });

  it("says that the operation had already ended", async () => {
    const { api, finish } = await openStage();
    finish("a");
    const op = await api.exports.submit({ accountId: "a" });
    await op.result();
    expect(await op.cancel()).toMatchObject({ outcome: "terminal", operation: { status: "completed" } });
  });

  it("says that the service has no such operation", async () => {
    const { api } = await openStage();
    const op = api.exports.resume({ ...saved, definition: "exports" });
    expect(await op.cancel()).toEqual({ outcome: "unknown" });
  });
});
