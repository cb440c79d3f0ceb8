import { allowAnonymous, createOrderService } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";

/** Posts an order with these lines of `Idempotency-Key`, and returns the status and the type of the reply. */
async function post(...lines: readonly string[]): Promise<readonly [status: number, type: unknown]> {
  const handler = toFetchHandler(createOrderService({ authorize: allowAnonymous(), observe: false }));
  const headers = new Headers({ "content-type": "application/json" });
  for (const line of lines) headers.append("idempotency-key", line);
  const reply = await handler(
    new Request("http://localhost/orders", { method: "POST", headers, body: ORDER }),
  );
  const { type } = (await reply.json()) as { type?: string };
  return [reply.status, type?.split("#")[1]];
}

it.each([
  ["bare keys", ["a", "b"]],
  ["the same key", ["a", "a"]],
  ["an empty line", ["a", ""]],
  ["quoted keys", ['"a"', '"b"']],
])("refuses several lines of Idempotency-Key, which arrive joined: %s", async (_, lines) => {
  expect(await post(...lines)).toEqual([400, "invalid-idempotency-key"]);
});

it("cannot tell the halves of one key from a key on one line", async () => {
  expect(await post('"a', 'b"')).toEqual(await post('"a, b"'));
});

it.each(["a", '"a"', '"a,b"', '"a b"', '"a";p="x y"'])("accepts a key on one line: %s", async (line) => {
  expect(await post(line)).toEqual([202, undefined]);
});
