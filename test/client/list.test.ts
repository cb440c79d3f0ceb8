import { listOperations } from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import { openStage } from "../support/client-stage.js";
import { ID, lost, play, reply } from "./scripted.js";

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const problem = { name: "not-found", title: "Not found" };

describe("a list of operations", () => {
  it("has those of the definition and the tenant, newest first, page by page", async () => {
    const { api, connect, requests } = await openStage();
    const ids: string[] = [];
    for (const itemId of ["a", "b", "c", "d", "e"])
      ids.push((await api.orders.submit({ itemId, quantity: 1 })).operationId);
    await api.bookings.submit({ room: 7 });
    const other = connect({ headers: { authorization: "Bearer other" } });
    await other.orders.submit({ itemId: "f", quantity: 1 });
    requests.length = 0;
    const listed = await collect(listOperations(api.orders, { limit: 2 }));
    expect(listed.map(({ operationId }) => operationId).sort()).toEqual(ids.sort());
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    expect(requests.map(({ url }) => new URL(url).search.replace(/cursor=[^&]+/, "cursor"))).toEqual([
      "?definition=orders&limit=2",
      "?definition=orders&limit=2&cursor",
      "?definition=orders&limit=2&cursor",
    ]);
  });

  it("has only operations with the given status, which can be resumed", async () => {
    const { api } = await openStage();
    const unicorn = await api.orders.submit({ itemId: "unicorn", quantity: 1 });
    const book = await api.orders.submit({ itemId: "book", quantity: 1 });
    await Promise.allSettled([unicorn.result(), book.result()]);
    const failed = await collect(listOperations(api.orders, { status: "failed" }));
    expect(failed).toMatchObject([{ operationId: unicorn.operationId, error: { name: "work-failed" } }]);
    for await (const listed of listOperations(api.orders, { status: "completed" }))
      expect(await api.orders.resume(listed).result()).toEqual({ itemId: "book" });
  });

  it("requests a page when the iteration gets there", async () => {
    const { api, requests } = await openStage();
    for (const itemId of ["a", "b"]) await api.orders.submit({ itemId, quantity: 1 });
    requests.length = 0;
    for await (const _ of listOperations(api.orders, { limit: 1 })) break;
    expect(requests).toHaveLength(1);
  });

  it("continues at the status path of the client, because a proxy may have changed the path of the link", async () => {
    const link = '</prefix/operations?definition=orders&cursor=abc>; rel="next"';
    const operation = { operationId: ID, status: "shipping" };
    const { api, log } = play([
      () => reply(200, { operations: [operation] }, { link }),
      lost,
      ({ url }) =>
        reply(200, { operations: url.endsWith("?definition=orders&cursor=abc") ? [operation] : [] }),
    ]);
    const seen = await collect(listOperations(api.orders));
    expect(seen.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(log.map((line) => line.slice(4))).toEqual(Array(3).fill("GET /operations"));
  });

  it("ends with an error if a cache ignores the query, and replies with the first page again", async () => {
    const link = '</operations?definition=orders&cursor=abc>; rel="next"';
    const { api, log } = play([
      () => reply(200, { operations: [{ operationId: ID, status: "pending" }] }, { link }),
    ]);
    const list = listOperations(api.orders);
    expect((await list.next()).value).toMatchObject({ operationId: ID });
    await expect(list.next()).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        "The reply of http://localhost/operations?definition=orders&cursor=abc is another page of the list. Let no cache between client and service ignore the query.",
    });
    expect(log).toHaveLength(2);
  });

  it("ends with an error if pages lead back to an earlier one", async () => {
    const { api, log } = play([
      ({ url }) => {
        const next = url.endsWith("cursor=a") ? "b" : "a";
        return reply(200, { operations: [] }, { link: `</operations?cursor=${next}>; rel="next"` });
      },
    ]);
    await expect(listOperations(api.orders).next()).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(log).toHaveLength(3);
  });

  it("reads a hostile `Link` in linear time", async () => {
    const { api } = play([() => reply(200, { operations: [] }, { link: "<".repeat(200_000) })]);
    const startedAt = performance.now();
    await expect(listOperations(api.orders).next()).resolves.toMatchObject({ done: true });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("is refused if the service has none", async () => {
    const { api } = play([() => reply(404, problem)]);
    await expect(listOperations(api.orders).next()).rejects.toMatchObject({
      code: "REQUEST_REFUSED",
      detail: "Not found",
      context: { problem: { status: 404 } },
    });
  });

  it("is refused with a sentence if the limit is wrong", async () => {
    const { api } = await openStage();
    await expect(listOperations(api.orders, { limit: 1_000 }).next()).rejects.toMatchObject({
      code: "REQUEST_REFUSED",
      detail: "The query parameter `limit` must be a whole number from 1 to 100.",
    });
  });

  it.each([{ hello: "world" }, { operations: [{}] }])("is refused if the reply is %j", async (body) => {
    const { api } = play([() => reply(200, body)]);
    await expect(listOperations(api.orders).next()).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringMatching(/^The reply of .* is not a.* Check `baseUrl` and `statusPath`\.$/),
    });
  });
});
