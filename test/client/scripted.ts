import { type Client, type ClientOptions, createClient } from "async-request-reply/client";
import { onTestFinished, vi } from "vitest";
import { definitions } from "../support/client-stage.js";

/** Reply to one request, or an error that `fetch` rejects with. */
export type Step = (request: Request) => Response | Error | Promise<Response>;

/** A client whose service plays a script. */
export interface Script {
  readonly api: Client<typeof definitions>;
  /** Plays the next step. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** One line for each request: the seconds since the start, the method, the path, and `Prefer`. */
  readonly log: readonly string[];
  readonly keys: readonly (string | null)[];
}

/** Plays the steps in turn, and the last one for all further requests. Time is fake and passes by itself. */
export function play(steps: readonly Step[], options: Partial<ClientOptions> = {}): Script {
  useFakeTime();
  const startedAt = performance.now();
  const log: string[] = [];
  const keys: (string | null)[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const step = steps[Math.min(log.length, steps.length - 1)] ?? (() => reply(500));
    const { method, url, headers } = request;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    log.push([seconds, method, new URL(url).pathname, headers.get("prefer") ?? ""].join(" ").trim());
    keys.push(headers.get("idempotency-key"));
    const played = await step(request);
    if (played instanceof Error) throw played;
    return played;
  };
  const fetch = (url: string, init: RequestInit): Promise<Response> => answer(new Request(url, init));
  const api = createClient({ baseUrl: "http://localhost", definitions, fetch, ...options });
  return { api, fetch: answer, log, keys };
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

/** A step that loses the connection. */
export function lost(): Error {
  return new TypeError("fetch failed");
}

/** A reply with a JSON body. */
export function reply(status: number, body?: object, headers: Record<string, string> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

/** The id of all scripted operations. */
export const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";

export const accepted: Step = () => reply(202, { operationId: ID, status: "pending" });
export const pending: Step = () => reply(200, { operationId: ID, status: "pending" });
export const completed: Step = () => reply(200, { operationId: ID, status: "completed", result: "done" });
