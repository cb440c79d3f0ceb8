import { describe, expect, it } from "vitest";
import { testMistakes, untyped } from "../untyped.js";
import { accepted, play } from "./scripted.js";

const { createClient } = untyped;
const paths = { orders: "/orders" };

describe("a mistake says what was passed and what is expected", () => {
  testMistakes([
    [
      "no address",
      "Option `baseUrl` must be an address such as `https://api.example.com`, not undefined.",
      () => createClient({ paths }),
    ],
    [
      "neither definitions nor paths",
      "Option `definitions` must be a list of definitions, unless you pass `paths`, not undefined.",
      () => createClient({ baseUrl: "" }),
    ],
    [
      "definitions as a record",
      "Option `definitions` must be a list of definitions, unless you pass `paths`, not an object.",
      () => createClient({ baseUrl: "", definitions: { orders: {} } }),
    ],
    [
      "a status path without a slash",
      'Option `statusPath` must be a path such as `/operations`, not "operations".',
      () => createClient({ baseUrl: "", paths, statusPath: "operations" }),
    ],
    [
      "a key store without methods",
      "Option `keyStore` must be `localStorage`, or an object with `get`, `set` and `delete`, not an object.",
      () => createClient({ baseUrl: "", paths, keyStore: {} }),
    ],
    [
      "an address instead of fetch",
      'Option `fetch` must be a function, not "http://localhost".',
      () => createClient({ baseUrl: "", paths, fetch: "http://localhost" }),
    ],
    [
      "a duration that is not a number",
      'Option `giveUpAfterMs` must be whole milliseconds from 1 to 2147483647, not "1 min".',
      () => createClient({ baseUrl: "", paths, giveUpAfterMs: "1 min" }),
    ],
    [
      "the handle of another definition",
      'The value passed to resume is not an operation of "orders". Pass what `JSON.stringify(handle)` returned.',
      () => play([accepted]).api.orders.resume({ definition: "exports", operationId: "1" }),
    ],
    [
      "null instead of a handle, as an empty localStorage returns it",
      'The value passed to resume is not an operation of "orders". Pass what `JSON.stringify(handle)` returned.',
      () => play([accepted]).api.orders.resume(null),
    ],
  ]);
});

it.each(["", ".", ".."])("refuses the path field %j, which browsers would remove", async (accountId) => {
  const { api, log } = play([accepted]);
  await expect(api.exports.submit({ accountId })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail: `Path field \`accountId\` is "${accountId}", which no path can contain. Pass other text.`,
  });
  expect(log).toEqual([]);
});

it("refuses a reply to a submission that is not an operation", async () => {
  const { api } = play([() => Response.json({ hello: "world" })]);
  await expect(api.orders.submit({ itemId: "book", quantity: 1 })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail: "The reply of http://localhost/orders is not an operation. Check `baseUrl` and `statusPath`.",
  });
});

it("says which header field to expose if the browser hides the id of a 201", async () => {
  const { api } = play([() => Response.json({ room: 7 }, { status: 201 })]);
  const op = await api.bookings.submit({ room: 7 });
  expect(op.resource).toEqual({ room: 7 });
  await expect(op.result()).rejects.toMatchObject({
    code: "NOT_SUPPORTED",
    detail:
      "The browser hides the id of the operation. Send `Access-Control-Expose-Headers: Operation-Location`.",
  });
});
