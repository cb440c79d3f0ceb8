import { createOrderService, type OrderServiceOptions } from "async-request-reply";
import { type FetchHandler, toFetchHandler } from "async-request-reply/fetch";
import { expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";

const ID = "01980000-0000-7000-8000-000000000000";

function createOrders(authorize: OrderServiceOptions["authorize"] = () => ({ id: "a" })): FetchHandler {
  return toFetchHandler(createOrderService({ authorize, runtime: { newId: () => ID }, observe: false }));
}

/** Builds the submission of an order to this URL, with these lines of `Idempotency-Key`. */
function post(url = "http://localhost/orders", ...keys: readonly string[]): Request {
  const headers = new Headers({ "content-type": "application/json" });
  for (const line of keys) headers.append("idempotency-key", line);
  return new Request(url, { method: "POST", headers, body: ORDER });
}

/** Posts an order to this URL and returns the status and the path that the authorize hook saw. */
async function pathSeenAt(url: string): Promise<readonly [status: number, path: string | undefined]> {
  let seen: string | undefined;
  const handler = createOrders(({ path }) => {
    seen = path;
    return { id: "a" };
  });
  return [(await handler(post(url))).status, seen];
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

it.each(["", "?/orders", "#/orders", "/#/orders"].map((rest) => `http://localhost${rest}`))(
  "treats a URL without a path as the root: %s",
  async (url) => {
    expect(await pathSeenAt(url)).toEqual([404, undefined]);
  },
);

it("finds an operation with any query and fragment in the URL", async () => {
  const handler = createOrders();
  await handler(post());
  for (const rest of ["", "?wait=1", "?a=/b", "#c", "?a#/b?c"]) {
    const read = await handler(new Request(`http://localhost/operations/${ID}${rest}`));
    expect([rest, read.status]).toEqual([rest, 200]);
  }
});

/** Posts an order with these lines of `Idempotency-Key`, and returns the status and the type of the reply. */
async function replyTo(...lines: readonly string[]): Promise<readonly [status: number, type: unknown]> {
  const reply = await createOrders()(post(undefined, ...lines));
  const { type } = (await reply.json()) as { type?: string };
  return [reply.status, type?.split("#")[1]];
}

it.each([
  ["bare keys", ["a", "b"]],
  ["the same key", ["a", "a"]],
  ["an empty line", ["a", ""]],
  ["quoted keys", ['"a"', '"b"']],
])("refuses several lines of Idempotency-Key, which arrive joined: %s", async (_, lines) => {
  expect(await replyTo(...lines)).toEqual([400, "invalid-idempotency-key"]);
});

it("cannot tell the halves of one key from a key on one line", async () => {
  expect(await replyTo('"a', 'b"')).toEqual(await replyTo('"a, b"'));
});

it.each(["a", '"a"', '"a,b"', '"a b"', '"a";p="x y"'])("accepts a key on one line: %s", async (line) => {
  expect(await replyTo(line)).toEqual([202, undefined]);
});
