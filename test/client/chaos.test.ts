import { createMemoryBackend, createService, createWorker } from "async-request-reply";
import { type ClientFetch, createClient } from "async-request-reply/client";
import { toFetchHandler } from "async-request-reply/fetch";
import { expect, it, onTestFinished } from "vitest";
import { definitions } from "../support/client-stage.js";
import { chooseFaults } from "./chaos.js";
import { lost, useFakeTime } from "./scripted.js";

/** Creates a `fetch` that loses requests and replies, answers 503, and cuts waits. */
function unreliable(handler: (request: Request) => Promise<Response>): ClientFetch {
  const choose = chooseFaults(20_261_122);
  return async (url, init) => {
    const request = new Request(url, init);
    const fault = choose({ waits: request.headers.has("prefer") });
    if (fault === "lost") throw lost();
    if (fault === "unavailable") return new Response(null, { status: 503 });
    if (fault === "none") return handler(request);
    const leaving = new AbortController();
    if (fault === "cut") setTimeout(() => leaving.abort(), 5_000);
    await handler(new Request(request, { signal: leaving.signal }));
    throw lost();
  };
}

it("gets the results of 50 orders, once each, over a connection that loses a third of all requests", async () => {
  useFakeTime();
  const backend = createMemoryBackend();
  const service = createService({ definitions, backend, authorize: () => ({ id: "a" }), observe: false });
  const runs: string[] = [];
  const worker = createWorker(service, { orders: ({ itemId }) => void runs.push(itemId) });
  await worker.start();
  onTestFinished(async () => {
    await Promise.all([worker.stop(), service.close()]);
  });
  const fetch = unreliable(toFetchHandler(service));
  const api = createClient({ baseUrl: "http://localhost", definitions, fetch });
  const items = Array.from({ length: 50 }, (_, index) => `item ${index}`);
  await Promise.all(
    items.map(async (itemId) => {
      const op = await api.orders.submit({ itemId, quantity: 1 });
      await op.result();
    }),
  );
  expect(runs.sort()).toEqual(items.sort());
});
