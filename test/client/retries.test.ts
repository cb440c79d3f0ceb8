import { describe, expect, it } from "vitest";
import { accepted, book, completed, ID, later, leaveSoon, lost, play, reply } from "./scripted.js";

const problem = (name: string): object => ({ type: "https://example.com/a", name, title: name });
/** A problem of a service that gives problems no names. */
const unnamed = (name: string): object => ({ type: `https://example.com/problems#${name}`, title: name });

describe("a submission is repeated with its key", () => {
  it.each([
    ["after a network error", lost],
    ["after 408", () => reply(408)],
    ["after 409, if the resource is being created", () => reply(409, problem("creation-in-progress"))],
    ["after 409, if the submission is being recorded", () => reply(409, problem("submission-in-progress"))],
    ["after 409, if only its type says that", () => reply(409, unnamed("creation-in-progress"))],
    ["after 425", () => reply(425)],
    ["after 429", () => reply(429, problem("too-many-requests"))],
    ["after 500", () => reply(500)],
    ["after 503", () => reply(503, problem("unavailable"))],
    ["after a 200 that is not JSON, such as a sign-in page", () => new Response("<html>")],
    ["after a request without a reply for 30 s", later(3_600, accepted)],
  ])("%s", async (_, step) => {
    const { api, keys } = play([step, accepted]);
    const op = await api.orders.submit(book);
    expect(op.operationId).toBe(ID);
    expect(keys).toEqual([expect.stringMatching(/^"\d+-\d+-\d+-\d+"$/), keys[0]]);
  });

  it("with growing pauses, and gives up after two minutes", async () => {
    const { api, log } = play([() => reply(503, problem("unavailable"))]);
    await expect(api.orders.submit(book)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      context: { problem: { status: 503 } },
    });
    const seconds = [0, 0.3, 0.8, 1.8, 3.8, 7.8, 15.8, 31.8, 51.8, 71.8, 91.8, 111.8];
    expect(log).toEqual(seconds.map((second) => `${second.toFixed(1)} POST /orders`));
  });

  it("after Retry-After in seconds, and as a date", async () => {
    const limited = (): Response => reply(503, undefined, { "retry-after": "7" });
    const atDate = (): Response =>
      reply(503, undefined, { "retry-after": new Date(Date.now() + 9_000).toUTCString() });
    const { api, log } = play([limited, atDate, accepted]);
    await api.orders.submit(book);
    expect(log).toEqual(["0.0 POST /orders", "7.0 POST /orders", "16.0 POST /orders"]);
  });

  it("but not if Retry-After is after the deadline", async () => {
    const { api, log } = play([() => reply(429, undefined, { "retry-after": "3600" })]);
    await expect(api.orders.submit(book)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(log).toHaveLength(1);
  });
});

it.each([
  ["by its name", problem("not-configured")],
  ["by its type", unnamed("not-configured")],
])("rejects at once if the service says that it is not configured, %s", async (_, body) => {
  const { api, log } = play([() => reply(500, body)]);
  await expect(api.orders.submit(book)).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    context: { problem: { status: 500 } },
  });
  expect(log).toHaveLength(1);
});

it("says which request got no reply, with the network error as its cause", async () => {
  const { api } = play([lost], { giveUpAfterMs: 5_000 });
  await expect(api.orders.submit(book)).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    detail: "No reply to POST http://localhost/orders. Try again. In browsers, check CORS.",
    cause: expect.objectContaining({ message: "fetch failed" }),
  });
});

it.each([400, 403, 404, 409, 413, 415, 422])("never repeats a submission after %i", async (status) => {
  const { api, log } = play([() => reply(status, { detail: "No." })]);
  await expect(api.orders.submit(book)).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    detail: "No.",
    context: { problem: { type: "about:blank", title: `HTTP ${status}`, status, detail: "No." } },
  });
  expect(log).toHaveLength(1);
});

it("stops repeating when the signal is aborted", async () => {
  const { api, log } = play([lost]);
  const signal = leaveSoon();
  await expect(api.orders.submit(book, { signal })).rejects.toThrow("The page was left.");
  expect(log).toHaveLength(3);
});

describe("if the reply is a 401", () => {
  const unauthenticated = (): Response => reply(401, problem("unauthenticated"));

  it("asks for the header fields once more", async () => {
    const tokens = ["old", "new"];
    const headers = async () => ({ authorization: `Bearer ${tokens.shift()}` });
    const { api, sent } = play([unauthenticated, accepted], { headers });
    await api.orders.submit(book);
    expect(sent("authorization")).toEqual(["Bearer old", "Bearer new"]);
  });

  it("rejects after the second 401", async () => {
    const { api, log } = play([unauthenticated], { headers: () => ({ authorization: "Bearer old" }) });
    await expect(api.orders.submit(book)).rejects.toMatchObject({ context: { problem: { status: 401 } } });
    expect(log).toHaveLength(2);
  });

  it("rejects at once if the header fields are not a function", async () => {
    const { api, log } = play([unauthenticated], { headers: { authorization: "Bearer old" } });
    await expect(api.orders.submit(book)).rejects.toMatchObject({ context: { problem: { status: 401 } } });
    expect(log).toHaveLength(1);
  });
});

it("repeats a cancel that was lost", async () => {
  const { api, log } = play([accepted, lost, completed]);
  const op = await api.exports.submit({ accountId: "a" });
  expect(await op.cancel()).toMatchObject({ outcome: "terminal", operation: { status: "completed" } });
  expect(log.slice(1)).toEqual([`0.0 DELETE /operations/${ID}`, `0.3 DELETE /operations/${ID}`]);
});
