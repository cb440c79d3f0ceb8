import { createClient, listOperations } from "async-request-reply/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { definitions } from "../support/client-stage.js";
import { completed, ID, lost, pending, play, reply, type Step } from "./scripted.js";

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
  /** Replaces the global `fetch`. */
  function render(...steps: readonly Step[]): ReturnType<typeof createClient<typeof definitions>> {
    vi.stubGlobal("fetch", memoize(play(steps).fetch));
    onTestFinished(() => void vi.unstubAllGlobals());
    return createClient({ baseUrl: "http://localhost", definitions });
  }

  it("`result` sees the end", async () => {
    const op = render(pending, completed).orders.resume({ definition: "orders", operationId: ID });
    expect(await op.result({ signal: AbortSignal.timeout(4_000) })).toBe("done");
  });

  it("`get` and iterations see each state", async () => {
    const op = render(pending, completed, pending, completed).orders.resume({
      definition: "orders",
      operationId: ID,
    });
    expect([(await op.get())?.status, (await op.get())?.status]).toEqual(["pending", "completed"]);
    const seen: string[] = [];
    for await (const { status } of op.states({ signal: AbortSignal.timeout(4_000) })) seen.push(status);
    expect(seen).toEqual(["pending", "completed"]);
  });

  it("a request after a network error is a new one", async () => {
    const op = render(lost, completed).orders.resume({ definition: "orders", operationId: ID });
    expect((await op.get())?.status).toBe("completed");
  });

  it("`listOperations` sees new operations", async () => {
    const listed: Step = () => reply(200, { operations: [{ operationId: ID, status: "pending" }] });
    const api = render(() => reply(200, { operations: [] }), listed);
    expect((await listOperations(api.orders).next()).done).toBe(true);
    expect((await listOperations(api.orders).next()).done).toBe(false);
  });
});
