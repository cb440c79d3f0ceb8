import { expect, it, vi } from "vitest";
import { createEventParser } from "../support/event-reader.js";
import { signalOf } from "../support/worker-stage.js";
import { startAll } from "./order-bench.js";
import { send } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** The state of an operation, as an event shows it. */
interface State {
  readonly status: string;
  readonly attempt: number;
  readonly progress?: number;
}

/** Follows an operation until it ends, and returns all events. Calls `onBegin` when the first one is here. */
async function follow(url: string, onBegin: () => void = () => {}): Promise<readonly State[]> {
  const reply = await fetch(url, { headers: { accept: "text/event-stream" } });
  const { received, push } = createEventParser();
  const decoder = new TextDecoder();
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    push(decoder.decode(chunk, { stream: true }));
    if (received.events.length > 0) onBegin();
  }
  return received.events.map(({ data }): State => JSON.parse(data));
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
    const following = signalOf();
    const states = follow(url, following.resolve);
    await following.promise;
    const worker = await bench().start({ role: "worker" });
    const seen = await states;
    // It would compete with the worker of the next test.
    await worker.kill9();
    expect(seen.at(0)).toMatchObject({ status: "pending", attempt: 0 });
    expect(seen.at(-1)).toMatchObject({ status: "completed", attempt: 1 });
    const values = seen.flatMap(({ progress }) => progress ?? []);
    expect(new Set(values).size).toBeGreaterThanOrEqual(6);
    expect(values).toEqual([...values].sort((one, other) => one - other));
  });

  it("cancel it at once, long before the lease is renewed", async () => {
    const options = { definition: { cancellable: true }, worker: { leaseMs: 600_000 } };
    const [api, worker] = await startAll(bench(), ["api", "worker"], options);
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
