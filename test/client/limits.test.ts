import {
  type Client,
  type ClientOptions,
  createKeyStore,
  eventStream,
  listOperations,
} from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import type { definitions } from "../support/client-stage.js";
import { accepted, ID, later, play } from "./scripted.js";

type Api = Client<typeof definitions>;

const book = { itemId: "book", quantity: 1 };
const saved = { definition: "orders", operationId: ID };

/** Every kind of call that sends requests. */
const calls: readonly (readonly [string, (api: Api, signal: AbortSignal) => Promise<unknown>])[] = [
  ["submit", (api, signal) => api.orders.submit(book, { signal })],
  ["result", (api, signal) => api.orders.resume(saved).result({ signal })],
  ["states", (api, signal) => api.orders.resume(saved).states({ signal }).next()],
  ["get", (api, signal) => api.orders.resume(saved).get({ signal })],
  ["cancel", (api, signal) => api.orders.resume(saved).cancel({ signal })],
  ["listOperations", (api, signal) => listOperations(api.orders, { signal }).next()],
];

/** Something that ends only when the test ends it. */
function openEnded<Value>(): { readonly promise: Promise<Value>; readonly end: (value: Value) => void } {
  let end: (value: Value) => void = () => {};
  const promise = new Promise<Value>((resolve) => {
    end = resolve;
  });
  return { promise, end: (value) => end(value) };
}

/** Makes a call, and aborts it after a second. */
function abandon(api: Api, call: (api: Api, signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error("The page was left.")), 1_000);
  return call(api, leaving.signal);
}

describe("while `headers` is pending", () => {
  it.each(calls)("%s rejects when its signal is aborted, and sends nothing afterwards", async (_, call) => {
    const token = openEnded<Record<string, string>>();
    const { api, log } = play([accepted], { eventStream, headers: () => token.promise });
    await expect(abandon(api, call)).rejects.toThrow("The page was left.");
    token.end({ authorization: "Bearer late" });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(log).toEqual([]);
  });

  it.each(calls)("%s gives up after its limits, and sends nothing afterwards", async (_, call) => {
    const token = openEnded<Record<string, string>>();
    let asked = 0;
    const headers = (): Promise<Record<string, string>> => {
      asked++;
      return token.promise;
    };
    const { api, log } = play([accepted], { headers, requestTimeoutMs: 1_000, giveUpAfterMs: 30_000 });
    const { signal } = new AbortController();
    await expect(call(api, signal)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(asked).toBeGreaterThan(1);
    token.end({ authorization: "Bearer late" });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(log).toEqual([]);
  });
});

describe("while a `fetch` that ignores its signal is pending", () => {
  it.each(calls)("%s rejects when its signal is aborted", async (_, call) => {
    const { api } = play([() => openEnded<Response>().promise], { eventStream });
    await expect(abandon(api, call)).rejects.toThrow("The page was left.");
  });

  it("the request counts as failed after its time limit", async () => {
    const { api, log } = play([() => openEnded<Response>().promise, accepted]);
    expect((await api.orders.submit(book)).operationId).toBe(ID);
    expect(log).toEqual(["0.0 POST /orders", "30.3 POST /orders"]);
  });
});

it("limits of 24.8 days are as long as they say, also while the service waits", async () => {
  const { api, log } = play([later(5, accepted)], { requestTimeoutMs: 2 ** 31 - 1 });
  await api.orders.submit(book, { waitMs: 2 ** 31 - 1 });
  expect(log).toEqual(["0.0 POST /orders wait=2147484"]);
});

describe("a key store", () => {
  const stores: readonly (readonly [string, Partial<ClientOptions>])[] = [
    ["`headers` throws", { headers: () => Promise.reject(new Error("Signed out.")) }],
    ["a header field is malformed", { headers: { "x y": "z" } }],
    ["the address is malformed", { baseUrl: "http://[" }],
  ];

  it.each(stores)("has no key if %s, because nothing was sent", async (_, options) => {
    const keyStore = new Map<string, string>();
    const { api, log } = play([accepted], { keyStore: createKeyStore(keyStore), ...options });
    await expect(api.orders.submit(book)).rejects.toThrow();
    expect([[...keyStore], log]).toEqual([[], []]);
  });

  it("has no key if the submission was given up before anything was sent", async () => {
    const keyStore = new Map<string, string>();
    const { api } = play([accepted], {
      keyStore: createKeyStore(keyStore),
      headers: () => openEnded<Record<string, string>>().promise,
    });
    await expect(abandon(api, (client, signal) => client.orders.submit(book, { signal }))).rejects.toThrow(
      "The page was left.",
    );
    expect([...keyStore]).toEqual([]);
  });

  it("that does not answer does not hold up the signal", async () => {
    const keyStore = { get: () => openEnded<string>().promise, set: () => {}, delete: () => {} };
    const { api, log } = play([accepted], { keyStore: createKeyStore(keyStore) });
    await expect(abandon(api, (client, signal) => client.orders.submit(book, { signal }))).rejects.toThrow(
      "The page was left.",
    );
    expect(log).toEqual([]);
  });
});
