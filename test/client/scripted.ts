import {
  type Client,
  type ClientOptions,
  createClient,
  createKeyStore,
  listOperations,
} from "async-request-reply/client";
import { onTestFinished, vi } from "vitest";
import { definitions } from "../support/client-stage.js";

export type Api = Client<typeof definitions>;

/** Reply to one request, or an error that `fetch` rejects with. */
export type Step = (request: Request) => Response | Error | Promise<Response>;

/** A client whose service plays a script. */
export interface Script {
  readonly api: Api;
  /** Plays the next step. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** One line for each request: the seconds since the start, the method, the path, and `Prefer`. */
  readonly log: readonly string[];
  readonly keys: readonly (string | null)[];
  /** Returns a header field of each request. */
  sent(field: string): (string | null)[];
}

/** Plays the steps in turn, and the last one for all further requests. Time is fake and passes by itself. */
export function play(steps: readonly Step[], options: Partial<ClientOptions> = {}): Script {
  useFakeTime();
  const startedAt = performance.now();
  const log: string[] = [];
  const keys: (string | null)[] = [];
  const sent: Headers[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const step = steps[Math.min(log.length, steps.length - 1)] ?? (() => reply(500));
    const { method, url, headers } = request;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    log.push([seconds, method, new URL(url).pathname, headers.get("prefer") ?? ""].join(" ").trim());
    keys.push(headers.get("idempotency-key"));
    sent.push(headers);
    const played = await step(request);
    if (played instanceof Error) throw played;
    return played;
  };
  const fetch = (url: string, init: RequestInit): Promise<Response> => answer(new Request(url, init));
  const api = createClient({ baseUrl: "http://localhost", definitions, fetch, ...options });
  return { api, fetch: answer, log, keys, sent: (field) => sent.map((headers) => headers.get(field)) };
}

/** Plays the steps for a client with a store of keys. */
export function playStored(
  steps: readonly Step[],
  options?: Partial<ClientOptions>,
  keyStore = new Map<string, string>(),
) {
  return { keyStore, ...play(steps, { keyStore: createKeyStore(keyStore), ...options }) };
}

const NOON = Date.UTC(2026, 10, 22, 12);

/** Makes timers run at once, in order, and `Math.random` return 1. */
export function useFakeTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"], now: NOON });
  vi.setTimerTickMode("nextTimerAsync");
  vi.spyOn(Math, "random").mockReturnValue(1);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** Waits in fake time, then continues with a step. The request may be aborted meanwhile, like one of a real `fetch`. */
export function later(seconds: number, step: Step): Step {
  return async (request) => {
    await new Promise<void>((resolve, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
      setTimeout(resolve, seconds * 1_000);
    });
    const played = await step(request);
    if (played instanceof Error) throw played;
    return played;
  };
}

export function lost(): Error {
  return new TypeError("fetch failed");
}

export function reply(status: number, body?: object, headers: Record<string, string> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

export const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";

export const accepted: Step = () => reply(202, { operationId: ID, status: "pending" });
export const pending: Step = () => reply(200, { operationId: ID, status: "pending" });
export const completed: Step = () => reply(200, { operationId: ID, status: "completed", result: "done" });

/** The input of an order, and its saved handle. */
export const book = { itemId: "book", quantity: 1 };
export const saved = { definition: "orders", operationId: ID };

/** Every kind of call that sends requests. */
export const calls: readonly (readonly [string, (api: Api, options?: CallOptions) => Promise<unknown>])[] = [
  ["submit", (api, options) => api.orders.submit(book, options)],
  ["result", (api, options) => api.orders.resume(saved).result(options)],
  ["states", (api, options) => api.orders.resume(saved).states(options).next()],
  ["get", (api, options) => api.orders.resume(saved).get(options)],
  ["cancel", (api, options) => api.orders.resume(saved).cancel(options)],
  ["listOperations", (api, options) => listOperations(api.orders, options).next()],
];

interface CallOptions {
  readonly signal: AbortSignal;
}

/** The signal of a page that is left after a second. */
export function leaveSoon(): AbortSignal {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error("The page was left.")), 1_000);
  return leaving.signal;
}

/** Iterates over states up to the end, and returns the percentage or the status of each. */
export async function watch(
  states: AsyncIterable<{ readonly status: string; readonly progress?: unknown }>,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { status, progress } of states)
    seen.push((progress as { readonly percent: number } | undefined)?.percent ?? status);
  return seen;
}

/** The seconds of each line of a log. */
export function times(log: readonly string[]): (string | undefined)[] {
  return log.map((line) => line.split(" ")[0]);
}
