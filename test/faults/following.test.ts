import { expect, it, vi } from "vitest";
import { send } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** The state of an operation, as an event shows it. */
interface State {
  readonly status: string;
  readonly attempt: number;
  readonly progress?: number;
}

/** Follows an operation until it ends, and returns all events. `onEvent` gets each of them at once. */
async function follow(url: string, onEvent: (state: State) => void = () => {}): Promise<readonly State[]> {
  const reply = await fetch(url, { headers: { accept: "text/event-stream" } });
  const states: State[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      const state = JSON.parse(data) as State;
      states.push(state);
      onEvent(state);
    }
  }
  return states;
}

/** Submits an order and returns the URL of its operation. */
async function submit(baseUrl: string, key: string): Promise<string> {
  const { operationIds } = await send(key, () => baseUrl);
  return `${baseUrl}/operations/${[...operationIds].at(0)}`;
}

// Each process reads what it follows every 5 s, which shows at most one of the values, and nothing of the cancellation.
describeOnEachStore("processes that follow the work of another process", (bench) => {
  it("learn at once of attempts and of progress", async () => {
    const api = await bench().start({ role: "api" });
    const url = await submit(api.baseUrl, "reports-1");
    let began = (): void => {};
    const following = new Promise<void>((resolve) => {
      began = resolve;
    });
    const states = follow(url, began);
    await following;
    const worker = await bench().start({ role: "worker" });
    const seen = await states;
    // It would compete with the worker of the next test.
    worker.kill("SIGKILL");
    await worker.exited;
    expect(seen.at(0)).toMatchObject({ status: "pending", attempt: 0 });
    expect(seen.at(-1)).toMatchObject({ status: "completed", attempt: 1 });
    const values = seen.flatMap(({ progress }) => progress ?? []);
    expect(new Set(values).size).toBeGreaterThanOrEqual(6);
    expect(values).toEqual([...values].sort((one, other) => one - other));
  });

  it("cancel it at once, long before the lease is renewed", async () => {
    const api = await bench().start({ role: "api", definition: { cancellable: true } });
    const worker = await bench().start({
      role: "worker",
      definition: { cancellable: true },
      worker: { leaseMs: 600_000 },
    });
    const url = await submit(api.baseUrl, "abortable-1");
    await vi.waitUntil(() => worker.begun.length === 1);
    const states = follow(url);
    const reply = await fetch(url, { method: "DELETE" });
    // 200 if the worker was even faster.
    expect([200, 202]).toContain(reply.status);
    expect((await states).at(-1)).toMatchObject({
      status: "failed",
      error: { title: "The operation was cancelled" },
    });
  });
});
