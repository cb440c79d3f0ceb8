import { createKeyStore, type KeyStorage } from "async-request-reply/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStage } from "../support/client-stage.js";
import { accepted, book, later, lost, play, playStored, reply, type Step } from "./scripted.js";

const name = 'async-request-reply http://localhost/orders {"itemId":"book","quantity":1}';

/** A page that is left while its first request is on the way. */
async function leave() {
  const leaving = new AbortController();
  const leavePage: Step = () => {
    leaving.abort(new Error("The page was left."));
    return new Promise<Response>(() => {});
  };
  const page = playStored([leavePage]);
  await expect(page.api.orders.submit(book, { signal: leaving.signal })).rejects.toThrow("left");
  return page;
}

/** Locks as browsers have them: for each name, one holder at a time. */
function stubLocks(): void {
  const last = new Map<string, Promise<unknown>>();
  const request = (lock: string, run: () => Promise<unknown>): Promise<unknown> => {
    const held = (last.get(lock) ?? Promise.resolve()).then(run);
    const ended = held.catch(() => {});
    last.set(lock, ended);
    return held;
  };
  vi.stubGlobal("navigator", { locks: { request } });
  onTestFinished(() => void vi.unstubAllGlobals());
}

describe("a key store", () => {
  it("has the key before the request is sent, and no longer after the reply", async () => {
    let during: unknown;
    const check: Step = (request) => {
      during = [...keyStore];
      return accepted(request);
    };
    const { api, keys, keyStore } = playStored([check]);
    await api.orders.submit(book);
    expect(during).toEqual([[name, keys[0]?.slice(1, -1)]]);
    expect([...keyStore]).toEqual([]);
  });

  it("makes a submission after a reload use the key of the one before", async () => {
    const left = await leave();
    const { api, keys } = playStored([accepted], {}, left.keyStore);
    // The order of members does not matter.
    await api.orders.submit({ quantity: 1, itemId: "book" });
    expect(keys).toEqual(left.keys);
  });

  it("lets other input and later submissions have their own keys", async () => {
    const left = await leave();
    const { api, keys } = playStored([accepted], {}, left.keyStore);
    await api.orders.submit({ itemId: "book", quantity: 2 });
    await api.orders.submit(book);
    await api.orders.submit(book);
    expect(keys[1]).toBe(left.keys[0]);
    expect(new Set(keys).size).toBe(3);
  });

  it("lets two clicks be one operation", async () => {
    const { connect } = await openStage();
    const { orders } = connect({ keyStore: createKeyStore(new Map()) });
    const [first, second] = await Promise.all([orders.submit(book), orders.submit(book)]);
    expect(second.operationId).toBe(first.operationId);
  });

  it("lets two tabs that submit at the same moment be one operation", async () => {
    stubLocks();
    const items = new Map<string, string>();
    const keyStore = {
      get: (item: string) => Promise.resolve(items.get(item)),
      set: (item: string, value: string) => Promise.resolve(items.set(item, value)),
      delete: (item: string) => Promise.resolve(items.delete(item)),
    };
    const tabs = [0, 1].map(() => play([later(1, accepted)], { keyStore: createKeyStore(keyStore) }));
    await Promise.all(tabs.map(({ api }) => api.orders.submit(book)));
    const [first, second] = tabs;
    expect(first?.keys).toEqual([expect.any(String)]);
    expect(second?.keys).toEqual(first?.keys);
    expect([...items]).toEqual([]);
  });

  it("that failed once is asked again for the next submission", async () => {
    stubLocks();
    const keyStore = { get: vi.fn(() => null), set: vi.fn(), delete: vi.fn() };
    keyStore.set.mockRejectedValueOnce(new Error("full"));
    const { api } = play([accepted], { keyStore: createKeyStore(keyStore) });
    await expect(api.orders.submit(book)).rejects.toThrow("full");
    await api.orders.submit(book);
    expect(keyStore.set).toHaveBeenCalledTimes(2);
  });

  it("keeps the key of a submission that was given up", async () => {
    const { api, keys, keyStore } = playStored([lost], { giveUpAfterMs: 1 });
    await expect(api.orders.submit(book)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect([...keyStore]).toEqual([[name, keys[0]?.slice(1, -1)]]);
  });

  it("deletes the key of a submission that was refused", async () => {
    const { api, keyStore } = playStored([() => reply(422)]);
    await expect(api.orders.submit(book)).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
    expect([...keyStore]).toEqual([]);
  });

  it("keeps the key of a submission that was refused after a try without a reply", async () => {
    const { api, keyStore } = playStored([lost, () => reply(401)]);
    await expect(api.orders.submit(book)).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
    expect(keyStore.size).toBe(1);
  });

  it("is not used for submissions that have a key", async () => {
    const { api, keys, keyStore } = playStored([lost], { giveUpAfterMs: 1 });
    await expect(api.orders.submit(book, { key: "cart-7" })).rejects.toThrow();
    expect(keys).toEqual(['"cart-7"']);
    expect([...keyStore]).toEqual([]);
  });

  it("that fails to store the key lets nothing be sent", async () => {
    const full = { get: () => null, set: () => Promise.reject(new Error("full")), delete: () => {} };
    const { api, log } = play([accepted], { keyStore: createKeyStore(full) });
    await expect(api.orders.submit(book)).rejects.toThrow("full");
    expect(log).toEqual([]);
  });

  it("may be the localStorage of a browser", async () => {
    const items = new Map<string, string>();
    const storage: KeyStorage = {
      getItem: (item) => items.get(item) ?? null,
      setItem: (item, value) => void items.set(item, value),
      removeItem: (item) => void items.delete(item),
    };
    const broken = play([lost], { keyStore: createKeyStore(storage), giveUpAfterMs: 1 });
    await expect(broken.api.orders.submit(book)).rejects.toThrow();
    const { api, keys } = play([accepted], { keyStore: createKeyStore(storage) });
    await api.orders.submit(book);
    expect([keys, items.size]).toEqual([broken.keys, 0]);
  });
});
