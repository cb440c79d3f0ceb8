import { type ClientOptions, createKeyStore, eventStream } from "async-request-reply/client";
import { describe, expect, it } from "vitest";
import { signalOf } from "../support/worker-stage.js";
import { accepted, book, calls, ID, later, leaveSoon, play, playStored } from "./scripted.js";

describe("while `headers` is pending", () => {
  it.each(calls)("%s rejects when its signal is aborted, and sends nothing afterwards", async (_, call) => {
    const token = signalOf<Record<string, string>>();
    const { api, log } = play([accepted], { eventStream, headers: () => token.promise });
    await expect(call(api, { signal: leaveSoon() })).rejects.toThrow("The page was left.");
    token.resolve({ authorization: "Bearer late" });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(log).toEqual([]);
  });

  it.each(calls)("%s gives up after its limits, and sends nothing afterwards", async (_, call) => {
    const token = signalOf<Record<string, string>>();
    let asked = 0;
    const headers = (): Promise<Record<string, string>> => {
      asked++;
      return token.promise;
    };
    const { api, log } = play([accepted], { headers, requestTimeoutMs: 1_000, giveUpAfterMs: 30_000 });
    const { signal } = new AbortController();
    await expect(call(api, { signal })).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(asked).toBeGreaterThan(1);
    token.resolve({ authorization: "Bearer late" });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    expect(log).toEqual([]);
  });
});

describe("while a `fetch` that ignores its signal is pending", () => {
  it.each(calls)("%s rejects when its signal is aborted", async (_, call) => {
    const { api } = play([() => signalOf<Response>().promise], { eventStream });
    await expect(call(api, { signal: leaveSoon() })).rejects.toThrow("The page was left.");
  });

  it("the request counts as failed after its time limit", async () => {
    const { api, log } = play([() => signalOf<Response>().promise, accepted]);
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
    const { api, log, keyStore } = playStored([accepted], options);
    await expect(api.orders.submit(book)).rejects.toThrow();
    expect([[...keyStore], log]).toEqual([[], []]);
  });

  it("has no key if the submission was given up before anything was sent", async () => {
    const headers = () => signalOf<Record<string, string>>().promise;
    const { api, keyStore } = playStored([accepted], { headers });
    const signal = leaveSoon();
    await expect(api.orders.submit(book, { signal })).rejects.toThrow("The page was left.");
    expect([...keyStore]).toEqual([]);
  });

  it("that does not answer does not hold up the signal", async () => {
    const keyStore = { get: () => signalOf<string>().promise, set: () => {}, delete: () => {} };
    const { api, log } = play([accepted], { keyStore: createKeyStore(keyStore) });
    const signal = leaveSoon();
    await expect(api.orders.submit(book, { signal })).rejects.toThrow("The page was left.");
    expect(log).toEqual([]);
  });
});
