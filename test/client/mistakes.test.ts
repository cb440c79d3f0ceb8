import { createKeyStore, listOperations } from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import { openStage } from "../support/client-stage.js";
import { testMistakes, untyped } from "../support/untyped.js";
import { accepted, ID, play } from "./scripted.js";

const { createClient } = untyped;
const untypedKeyStore = createKeyStore as (storage: unknown) => unknown;
const paths = { orders: "/orders" };

describe("a mistake says what was passed and what is expected", () => {
  testMistakes([
    [
      "no address",
      "Option `baseUrl` must be an address such as `https://api.example.com`, not undefined.",
      () => createClient({ paths }),
    ],
    [
      "an address without its scheme",
      'Option `baseUrl` must be an address such as `https://api.example.com`, not "localhost:3000".',
      () => createClient({ baseUrl: "localhost:3000", paths }),
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
      "a storage instead of a key store",
      "Option `keyStore` must be `createKeyStore(localStorage)`, not an object.",
      () => createClient({ baseUrl: "", paths, keyStore: new Map() }),
    ],
    [
      "a storage without methods",
      "Pass createKeyStore `localStorage`, or an object with `get`, `set` and `delete`, not an object.",
      () => untypedKeyStore({}),
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
      'an object is not an operation of "orders". Pass `JSON.stringify(handle)`, an id, or a `Location`.',
      () => play([accepted]).api.orders.resume({ definition: "exports", operationId: "1" }),
    ],
    [
      "half of a handle",
      '"{" is not an operation of "orders". Pass `JSON.stringify(handle)`, an id, or a `Location`.',
      () => play([accepted]).api.orders.resume("{"),
    ],
    [
      "a key store that is a text",
      'Option `keyStore` must be `createKeyStore(localStorage)`, not "localStorage".',
      () => createClient({ baseUrl: "", paths, keyStore: "localStorage" }),
    ],
    [
      "a storage that is a text",
      'Pass createKeyStore `localStorage`, or an object with `get`, `set` and `delete`, not "localStorage".',
      () => untypedKeyStore("localStorage"),
    ],
    [
      "no storage",
      "Pass createKeyStore `localStorage`, or an object with `get`, `set` and `delete`, not undefined.",
      () => untypedKeyStore(undefined),
    ],
    [
      "a storage that cannot store",
      "Pass createKeyStore `localStorage`, or an object with `get`, `set` and `delete`, not an object.",
      () => untypedKeyStore({ get: () => null }),
    ],
    [
      "null instead of a handle, as an empty localStorage returns it",
      'null is not an operation of "orders". Pass `JSON.stringify(handle)`, an id, or a `Location`.',
      () => play([accepted]).api.orders.resume(null),
    ],
  ]);
});

it.each(["", ".", ".."])("refuses the path field %j, which browsers would remove", async (accountId) => {
  const { api, log } = play([accepted]);
  await expect(api.exports.submit({ accountId })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail: `Path field \`accountId\` is "${accountId}", which no path can contain.`,
  });
  expect(log).toEqual([]);
});

const cyclic: Record<string, unknown> = { itemId: "book" };
cyclic.self = cyclic;
const ascii = "Option `key` must be 1 to 255 ASCII characters, not";
const ms = "Option `waitMs` must be whole milliseconds from 1 to 2147483647, not";

describe("a submission that cannot be sent says why, sends nothing and leaves no key behind", () => {
  it.each<readonly [string, string, unknown, unknown?]>([
    ["a key outside Latin-1", `${ascii} "key-✓".`, {}, { key: "key-✓" }],
    ["a key with a line break", `${ascii} "a\\nb".`, {}, { key: "a\nb" }],
    ["an empty key", `${ascii} "".`, {}, { key: "" }],
    ["a key that is too long", ascii, {}, { key: "k".repeat(256) }],
    ["a key that is no text", `${ascii} 7.`, {}, { key: 7 }],
    ["a wait of NaN", `${ms} NaN.`, {}, { waitMs: Number.NaN }],
    ["a wait without an end", `${ms} Infinity.`, {}, { waitMs: Number.POSITIVE_INFINITY }],
    ["a wait below 0", `${ms} -1.`, {}, { waitMs: -1 }],
    ["a wait that is a text", `${ms} "5".`, {}, { waitMs: "5" }],
    [
      "another name of the key",
      "Unknown option `idempotencyKey` of submit. Known options: key, waitMs, webhookUrl, signal, headers.",
      {},
      { idempotencyKey: "k" },
    ],
    ["options that are a text", 'The options of submit must be an object, not "k".', {}, "k"],
    [
      "a webhook outside ASCII",
      'Option `webhookUrl` must be an address in ASCII, such as `new URL(address).href`, not "https://ü.example".',
      {},
      { webhookUrl: "https://ü.example" },
    ],
    ["an empty webhook", "Option `webhookUrl` must be an address", {}, { webhookUrl: "" }],
    ["a signal that is none", "Option `signal` must be an AbortSignal, not an object.", {}, { signal: {} }],
    [
      "a controller instead of its signal",
      "Option `signal` must be an AbortSignal, not an object.",
      {},
      { signal: new AbortController() },
    ],
    ["a cycle", "The input cannot be written as JSON: TypeError: Converting circular structure", cyclic],
    ["a BigInt", "The input cannot be written as JSON: TypeError: Do not know how to", { quantity: 1n }],
    ["a function", "The input cannot be written as JSON: undefined.", () => {}],
    ["nothing", "The input cannot be written as JSON: undefined.", undefined],
  ])("%s", async (_, message, input, options) => {
    const keyStore = new Map<string, string>();
    const { api, log } = play([accepted], { keyStore: createKeyStore(keyStore) });
    const submit = api.orders.submit as unknown as (...args: readonly unknown[]) => Promise<unknown>;
    const error = await submit(input, options).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "INVALID_OPTION", detail: expect.stringContaining(String(message)) });
    expect([[...keyStore], log]).toEqual([[], []]);
  });

  it.each([
    ["half of a surrogate pair", { accountId: "\ud83d" }, '"\\ud83d"'],
    ["an object", { accountId: { id: 7 } }, "an object"],
    ["a list", { accountId: [7] }, "a list"],
    ["a function", { accountId: () => "7" }, "a function"],
    ["a symbol", { accountId: Symbol("7") }, "Symbol(7)"],
    ["missing", {}, "undefined"],
    ["of no input", null, "undefined"],
  ])("a path field that is %s", async (_, input, shown) => {
    const keyStore = new Map<string, string>();
    const { api, log } = play([accepted], { keyStore: createKeyStore(keyStore) });
    const submit = api.exports.submit as unknown as (input: unknown) => Promise<unknown>;
    await expect(submit(input)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `Path field \`accountId\` is ${shown}, which no path can contain.`,
    });
    expect([[...keyStore], log]).toEqual([[], []]);
  });
});

describe("a call whose options cannot be sent says why at once and sends nothing", () => {
  it.each([
    [
      "the name of a header field is malformed",
      { headers: { "x y": "z" } },
      "`headers` must be an object of",
    ],
    ["the value of a header field is", { headers: () => ({ x: "✓" }) }, "`headers` must be an object of"],
    ["the address is malformed", { baseUrl: "http://[" }, "Option `baseUrl` must be an address such as"],
    ["the address is relative outside a page", { baseUrl: "/v1" }, "Option `baseUrl` must be an address"],
    [
      "the address has credentials",
      { baseUrl: "http://a:b@localhost" },
      "Option `baseUrl` must be an address",
    ],
  ])("if %s", async (_, options, detail) => {
    const { api, log } = play([accepted], options);
    const wrong = {
      code: "INVALID_OPTION",
      detail: expect.stringContaining(detail),
      cause: expect.any(TypeError),
    };
    await expect(api.orders.submit({ itemId: "book", quantity: 1 })).rejects.toMatchObject(wrong);
    await expect(api.orders.resume({ definition: "orders", operationId: ID }).get()).rejects.toMatchObject(
      wrong,
    );
    expect(log).toEqual([]);
  });
});

describe("a call with options that it does not have says so and sends nothing", () => {
  const saved = { definition: "orders", operationId: ID };
  type Calls = Readonly<Record<"result" | "get" | "cancel", (options: object) => Promise<unknown>>> & {
    readonly states: (options: object) => AsyncGenerator;
  };
  const list = listOperations as unknown as (calls: unknown, options?: object) => AsyncGenerator;

  it.each([
    ["a client instead of its calls", {}, "an object"],
    ["the name of a definition", "orders", '"orders"'],
    ["no calls", undefined, "undefined"],
  ])("listOperations says what it needs instead of %s", async (_, calls, shown) => {
    await expect(list(calls).next()).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `listOperations takes the calls of a definition, such as \`api.orders\`, not ${shown}.`,
    });
  });

  it.each<readonly [string, (options: object, op: Calls, calls: unknown) => Promise<unknown>, string]>([
    ["result", (options, op) => op.result(options), "signal, headers"],
    ["get", (options, op) => op.get(options), "signal, headers"],
    ["cancel", (options, op) => op.cancel(options), "signal, headers"],
    ["states", (options, op) => op.states(options).next(), "signal, headers"],
    ["listOperations", (options, _, calls) => list(calls, options).next(), "status, limit, signal, headers"],
  ])("%s", async (owner, call, known) => {
    const { log, api } = play([accepted]);
    const op = api.orders.resume(saved) as unknown as Calls;
    await expect(call({ timeout: 5 }, op, api.orders)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `Unknown option \`timeout\` of ${owner}. Known options: ${known}.`,
    });
    await expect(call({ signal: {} }, op, api.orders)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: "Option `signal` must be an AbortSignal, not an object.",
    });
    expect(log).toEqual([]);
  });
});

it("accepts every key that a service accepts", async () => {
  const { api } = await openStage();
  for (const key of ["~", " ", '"', "\\", 'a "b" \\ c', "k".repeat(255)]) {
    const [first, second] = [0, 1].map(() => api.orders.submit({ itemId: "book", quantity: 1 }, { key }));
    expect((await first)?.operationId).toBe((await second)?.operationId);
  }
});

it("says which request was refused if the reply is no problem, as behind a wrong base path", async () => {
  const { api } = play([() => new Response("<h1>Not Found</h1>", { status: 404 })]);
  await expect(api.orders.submit({ itemId: "book", quantity: 1 })).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    detail: "HTTP 404 for POST http://localhost/orders",
  });
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
    detail: "The browser hides the id. Expose `Operation-Location` (CORS).",
  });
});
