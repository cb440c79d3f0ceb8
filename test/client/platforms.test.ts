import { createClient, eventStream, listOperations } from "async-request-reply/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { definitions } from "../support/client-stage.js";
import {
  type Api,
  book,
  calls,
  completed,
  ID,
  lost,
  pending,
  play,
  reply,
  type Step,
  saved,
  useFakeTime,
  watch,
} from "./scripted.js";

/** Answers repeated reads from memory, as React does in server components. Only `init.signal` opts out. */
function memoize(send: (request: Request) => Promise<Response>): typeof fetch {
  const memory = new Map<string, Promise<Response>>();
  return async (resource, init) => {
    const request = new Request(resource, init);
    if (init?.signal || request.method !== "GET") return send(request);
    const name = JSON.stringify([request.url, ...request.headers]);
    const answer = memory.get(name) ?? send(request);
    memory.set(name, answer);
    return (await answer).clone();
  };
}

describe("in a React server component, whose `fetch` answers repeated reads from memory", () => {
  function render(...steps: readonly Step[]): Api {
    vi.stubGlobal("fetch", memoize(play(steps).fetch));
    onTestFinished(() => void vi.unstubAllGlobals());
    return createClient({ baseUrl: "http://localhost", definitions });
  }

  it("`result` sees the end", async () => {
    const op = render(pending, completed).orders.resume(saved);
    expect(await op.result({ signal: AbortSignal.timeout(4_000) })).toBe("done");
  });

  it("`get` and iterations see each state", async () => {
    const op = render(pending, completed, pending, completed).orders.resume(saved);
    expect([(await op.get())?.status, (await op.get())?.status]).toEqual(["pending", "completed"]);
    const states = op.states({ signal: AbortSignal.timeout(4_000) });
    expect(await watch(states)).toEqual(["pending", "completed"]);
  });

  it("a request after a network error is a new one", async () => {
    const op = render(lost, completed).orders.resume(saved);
    expect((await op.get())?.status).toBe("completed");
  });

  it("`listOperations` sees new operations", async () => {
    const listed: Step = () => reply(200, { operations: [{ operationId: ID, status: "pending" }] });
    const api = render(() => reply(200, { operations: [] }), listed);
    expect((await listOperations(api.orders).next()).done).toBe(true);
    expect((await listOperations(api.orders).next()).done).toBe(false);
  });
});

/** A signal with what all implementations have: no `reason`, no `throwIfAborted`. */
class BasicSignal {
  aborted = false;
  readonly #listeners: (() => void)[] = [];

  addEventListener(_: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** The controller that React Native has without a newer polyfill. */
class BasicController {
  readonly #basic = new BasicSignal();
  readonly signal = this.#basic as unknown as AbortSignal;
  abort(): void {
    this.#basic.abort();
  }
}

describe("on React Native, whose signals have only `aborted` and `addEventListener`", () => {
  /** Its `fetch` and its `Request` know only its own signals. */
  function run(step: (signal: BasicSignal) => Promise<Response> | Response): { api: Api; sent: string[] } {
    useFakeTime();
    vi.stubGlobal("AbortController", BasicController);
    vi.stubGlobal("crypto", undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const sent: string[] = [];
    const api = createClient({
      baseUrl: "http://localhost",
      definitions,
      eventStream,
      fetch: async (url, { method, signal }) => {
        sent.push(`${method} ${new URL(url).pathname}`);
        return step(signal as unknown as BasicSignal);
      },
    });
    return { api, sent };
  }

  it.each(calls)("%s works", async (_, call) => {
    const body = { operationId: ID, status: "completed", operations: [] };
    const { api, sent } = run(() => reply(200, body));
    await call(api, { signal: new BasicController().signal });
    expect(sent.length).toBeGreaterThan(0);
  });

  it.each(calls)("%s rejects with an AbortError when its signal is aborted", async (_, call) => {
    const { api } = run(() => new Promise(() => {}));
    const leaving = new BasicController();
    setTimeout(() => leaving.abort(), 1_000);
    await expect(call(api, { signal: leaving.signal })).rejects.toMatchObject({
      name: "AbortError",
      message: "The call was aborted.",
    });
  });

  it.each(calls)("%s rejects, and sends nothing, if its signal was aborted before", async (_, call) => {
    const { api, sent } = run(() => reply(500));
    const leaving = new BasicController();
    leaving.abort();
    await expect(call(api, { signal: leaving.signal })).rejects.toThrow("The call was aborted.");
    expect(sent).toEqual([]);
  });

  it("a stream of events ends when its signal is aborted", async () => {
    const event = `data: {"operationId":"${ID}","status":"pending"}\n\n`;
    const { api } = run(() => {
      const body = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(event)) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const leaving = new BasicController();
    const states = api.orders.resume(saved).states({ signal: leaving.signal });
    expect((await states.next()).value).toMatchObject({ status: "pending" });
    setTimeout(() => leaving.abort(), 1_000);
    await expect(states.next()).rejects.toThrow("The call was aborted.");
  });

  it("a request without a reply is aborted after its time limit, and repeated", async () => {
    const aborted: boolean[] = [];
    const { api, sent } = run(async (signal) => {
      signal.addEventListener("abort", () => aborted.push(signal.aborted));
      if (sent.length > 1) return reply(202, { operationId: ID, status: "pending" });
      return new Promise(() => {});
    });
    expect((await api.orders.submit(book)).operationId).toBe(ID);
    expect([sent.length, aborted]).toEqual([2, [true]]);
  });
});
