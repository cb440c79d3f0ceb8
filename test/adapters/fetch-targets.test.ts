import { createOrderService } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { expect, it } from "vitest";
import { ORDER } from "../../src/testing/suites/adapter/orders-fixture.js";

const ID = "01980000-0000-7000-8000-000000000000";

/** Posts an order to this URL and tells what the authorize hook saw of it. */
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
])("takes the path and the query of a URL, and nothing else: %s", async (url, path) => {
  expect(await pathSeenAt(url)).toEqual([202, path]);
});

it.each([
  "http://localhost",
  "http://localhost?/orders",
  "http://localhost#/orders",
  "http://localhost/#/orders",
])("takes a URL without a path for that of the root: %s", async (url) => {
  expect(await pathSeenAt(url)).toEqual([404, undefined]);
});

it("finds an operation whatever query and fragment the URL has", async () => {
  const service = createOrderService({ authorize: () => ({ id: "a" }), runtime: { newId: () => ID } });
  const handler = toFetchHandler(service);
  const headers = { "content-type": "application/json" };
  await handler(new Request("http://localhost/orders", { method: "POST", headers, body: ORDER }));
  for (const rest of ["", "?wait=1", "?a=/b", "#c", "?a#/b?c"]) {
    const read = await handler(new Request(`http://localhost/operations/${ID}${rest}`));
    expect([rest, read.status]).toEqual([rest, 200]);
  }
});
