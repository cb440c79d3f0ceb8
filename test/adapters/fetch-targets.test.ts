import { createOrderService } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";

const ID = "01980000-0000-7000-8000-000000000000";

/** Posts an order to this URL and returns the status and the path that the authorize hook saw. */
async function pathSeenAt(url: string): Promise<readonly [status: number, path: string | undefined]> {
  let seen: string | undefined;
  const service = createOrderService({
    authorize: ({ path }) => {
      seen = path;
      return { id: "a" };
    },
  });
  const headers = { "content-type": "application/json" };
  const reply = await toFetchHandler(service)(new Request(url, { method: "POST", headers, body: ORDER }));
  return [reply.status, seen];
}

it.each([
  ["http://localhost/orders", "/orders"],
  ["https://user.example:8443/orders", "/orders"],
  ["http://[::1]:3000/orders", "/orders"],
  ["http://localhost/orders?", "/orders?"],
  ["http://localhost/orders?itemId=/operations/1&b=?", "/orders?itemId=/operations/1&b=?"],
  ["http://localhost/orders#/nothing?a=b", "/orders"],
  ["http://localhost/orders?a=b#/nothing", "/orders?a=b"],
])("uses only the path and the query of a URL: %s", async (url, path) => {
  expect(await pathSeenAt(url)).toEqual([202, path]);
});

it.each(["http://localhost/public/../orders", "http://localhost/%2e%2E/./orders"])(
  "gets a URL whose dot segments are already resolved: %s",
  async (url) => {
    expect(await pathSeenAt(url)).toEqual([202, "/orders"]);
  },
);

it.each([
  "http://localhost",
  "http://localhost?/orders",
  "http://localhost#/orders",
  "http://localhost/#/orders",
])("treats a URL without a path as the root: %s", async (url) => {
  expect(await pathSeenAt(url)).toEqual([404, undefined]);
});

it("finds an operation with any query and fragment in the URL", async () => {
  const service = createOrderService({ authorize: () => ({ id: "a" }), runtime: { newId: () => ID } });
  const handler = toFetchHandler(service);
  const headers = { "content-type": "application/json" };
  await handler(new Request("http://localhost/orders", { method: "POST", headers, body: ORDER }));
  for (const rest of ["", "?wait=1", "?a=/b", "#c", "?a#/b?c"]) {
    const read = await handler(new Request(`http://localhost/operations/${ID}${rest}`));
    expect([rest, read.status]).toEqual([rest, 200]);
  }
});
