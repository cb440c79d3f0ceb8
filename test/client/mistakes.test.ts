import { listOperations } from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import { openStage } from "../support/client-stage.js";
import { testMistakes, untyped } from "../support/untyped.js";
import { accepted, book, play, playStored, saved } from "./scripted.js";

const { createClient } = untyped;

/** Creates a client with one mistake in its options. */
const create = (mistake: object) => () =>
  createClient({ baseUrl: "", paths: { orders: "/orders" }, ...mistake });
const store = (storage: unknown) => () => untyped.createKeyStore(storage);
const resume = (handle: unknown) => () => play([accepted]).api.orders.resume(handle as string);

const address = "Option `baseUrl` must be an address such as `https://api.example.com`, not";
const list = "Option `definitions` must be a list of definitions, unless you pass `paths`, not";
const ownStore = "Option `keyStore` must be `createKeyStore(localStorage)`, not";
const storage = "Pass createKeyStore `localStorage`, or an object with `get`, `set` and `delete`, not";
const limit = "Option `giveUpAfterMs` must be whole milliseconds from 1 to 2147483647, not";
const handle = 'is not an operation of "orders". Pass `JSON.stringify(handle)`, an id, or a `Location`.';

describe("a mistake says what was passed and what is expected", () => {
  testMistakes([
    ["no address", `${address} undefined.`, create({ baseUrl: undefined })],
    ["an address without its scheme", `${address} "localhost:3000".`, create({ baseUrl: "localhost:3000" })],
    ["neither definitions nor paths", `${list} undefined.`, create({ paths: undefined })],
    [
      "definitions as a record",
      `${list} an object.`,
      create({ paths: undefined, definitions: { orders: {} } }),
    ],
    [
      "a status path without a slash",
      'Option `statusPath` must be a path such as `/operations`, not "operations".',
      create({ statusPath: "operations" }),
    ],
    ["a storage instead of a key store", `${ownStore} an object.`, create({ keyStore: new Map() })],
    ["a key store that is a text", `${ownStore} "localStorage".`, create({ keyStore: "localStorage" })],
    ["a storage without methods", `${storage} an object.`, store({})],
    ["a storage that is a text", `${storage} "localStorage".`, store("localStorage")],
    ["no storage", `${storage} undefined.`, store(undefined)],
    ["a storage that cannot store", `${storage} an object.`, store({ get: () => null })],
    [
      "an address instead of fetch",
      'Option `fetch` must be a function, not "http://localhost".',
      create({ fetch: "http://localhost" }),
    ],
    ["a duration that is not a number", `${limit} "1 min".`, create({ giveUpAfterMs: "1 min" })],
    [
      "the handle of another definition",
      `an object ${handle}`,
      resume({ definition: "exports", operationId: "1" }),
    ],
    ["half of a handle", `"{" ${handle}`, resume("{")],
    ["null instead of a handle, as an empty localStorage returns it", `null ${handle}`, resume(null)],
  ]);
});

const cyclic: Record<string, unknown> = { itemId: "book" };
cyclic.self = cyclic;
const ascii = "Option `key` must be 1 to 255 ASCII characters, not";
const unknown =
  "Unknown option `idempotencyKey` of submit. Known options: key, waitMs, webhookUrl, signal, headers.";
const receiver = "Option `webhookUrl` must be an address in ASCII, such as `new URL(address).href`";
const noSignal = "Option `signal` must be an AbortSignal, not an object.";
const unwritable = "The input cannot be written as JSON:";
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
    ["another name of the key", unknown, {}, { idempotencyKey: "k" }],
    ["options that are a text", 'The options of submit must be an object, not "k".', {}, "k"],
    ["a webhook outside ASCII", `${receiver}, not "https://ü.a".`, {}, { webhookUrl: "https://ü.a" }],
    ["an empty webhook", receiver, {}, { webhookUrl: "" }],
    ["a signal that is none", noSignal, {}, { signal: {} }],
    ["a controller instead of its signal", noSignal, {}, { signal: new AbortController() }],
    ["a cycle", `${unwritable} TypeError: Converting circular structure`, cyclic],
    ["a BigInt", `${unwritable} TypeError: Do not know how to`, { quantity: 1n }],
    ["a function", `${unwritable} undefined.`, () => {}],
    ["nothing", `${unwritable} undefined.`, undefined],
  ])("%s", async (_, message, input, options) => {
    const { api, log, keyStore } = playStored([accepted]);
    const submit = api.orders.submit as unknown as (...args: readonly unknown[]) => Promise<unknown>;
    const error = await submit(input, options).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "INVALID_OPTION", detail: expect.stringContaining(String(message)) });
    expect([[...keyStore], log]).toEqual([[], []]);
  });

  it.each([
    ["empty, which browsers would remove", { accountId: "" }, '""'],
    ["., which browsers would remove", { accountId: "." }, '"."'],
    [".., which browsers would remove", { accountId: ".." }, '".."'],
    ["half of a surrogate pair", { accountId: "\ud83d" }, '"\\ud83d"'],
    ["an object", { accountId: { id: 7 } }, "an object"],
    ["a list", { accountId: [7] }, "a list"],
    ["a function", { accountId: () => "7" }, "a function"],
    ["a symbol", { accountId: Symbol("7") }, "Symbol(7)"],
    ["missing", {}, "undefined"],
    ["of no input", null, "undefined"],
  ])("a path field that is %s", async (_, input, shown) => {
    const { api, log, keyStore } = playStored([accepted]);
    const submit = api.exports.submit as unknown as (input: unknown) => Promise<unknown>;
    await expect(submit(input)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `Path field \`accountId\` is ${shown}, which no path can contain.`,
    });
    expect([[...keyStore], log]).toEqual([[], []]);
  });
});

describe("a call whose options cannot be sent says why at once and sends nothing", () => {
  const malformed = "`headers` must be an object of";
  const notAnAddress = "Option `baseUrl` must be an address such as";

  it.each([
    ["the name of a header field is malformed", { headers: { "x y": "z" } }, malformed],
    ["the value of a header field is", { headers: () => ({ x: "✓" }) }, malformed],
    ["the address is malformed", { baseUrl: "http://[" }, notAnAddress],
    ["the address is relative outside a page", { baseUrl: "/v1" }, notAnAddress],
    ["the address has credentials", { baseUrl: "http://a:b@localhost" }, notAnAddress],
  ])("if %s", async (_, options, message) => {
    const { api, log } = play([accepted], options);
    const detail = expect.stringContaining(message);
    const wrong = { code: "INVALID_OPTION", detail, cause: expect.any(TypeError) };
    await expect(api.orders.submit(book)).rejects.toMatchObject(wrong);
    await expect(api.orders.resume(saved).get()).rejects.toMatchObject(wrong);
    expect(log).toEqual([]);
  });
});

describe("a call with options that it does not have says so and sends nothing", () => {
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
    const wrong = { code: "INVALID_OPTION", detail: noSignal };
    await expect(call({ signal: {} }, op, api.orders)).rejects.toMatchObject(wrong);
    expect(log).toEqual([]);
  });
});

it("accepts every key that a service accepts", async () => {
  const { api } = await openStage();
  for (const key of ["~", " ", '"', "\\", 'a "b" \\ c', "k".repeat(255)]) {
    const [first, second] = [0, 1].map(() => api.orders.submit(book, { key }));
    expect((await first)?.operationId).toBe((await second)?.operationId);
  }
});

it("says which request was refused if the reply is no problem, as behind a wrong base path", async () => {
  const { api } = play([() => new Response("<h1>Not Found</h1>", { status: 404 })]);
  await expect(api.orders.submit(book)).rejects.toMatchObject({
    code: "REQUEST_REFUSED",
    detail: "HTTP 404 for POST http://localhost/orders",
  });
});

it("refuses a reply to a submission that is not an operation", async () => {
  const { api } = play([() => Response.json({ hello: "world" })]);
  await expect(api.orders.submit(book)).rejects.toMatchObject({
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
