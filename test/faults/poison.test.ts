import type { WorkerOptions } from "async-request-reply";
import { expect, it, vi } from "vitest";
import { countEvents, type OrderProcess } from "./order-processes.js";
import { keysOf, send, sendAll } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

const settings: WorkerOptions = { maxAttempts: 5, concurrency: 8 };

describeOnEachStore("poison work (F18)", (bench) => {
  it("fails after its attempts if it throws or crashes its process, while all other work completes", async () => {
    const api = await bench().start({ role: "api" });
    const fine = await sendAll([...keysOf("fine", 100), ...keysOf("slow", 3)], () => api.baseUrl);
    await sendAll(["exit-1", "throw-1", "garbage-1"], () => api.baseUrl);
    let worker: OrderProcess | undefined;
    const keep = async (): Promise<void> => {
      worker = await bench().start({ role: "worker", worker: settings });
      void worker.exited.then((code) => (code === 1 ? keep() : undefined));
    };
    await keep();
    await bench().expectCompleted(fine);
    await worker?.kill9();
    const byKey = new Map((await bench().operations()).map((operation) => [operation.key, operation]));
    expect(byKey.get("exit-1")).toMatchObject({ state: "failed", attempt: 6 });
    // It throws five times. Each crash of the process can cost it one more attempt.
    const attempts = (least: number, most: number) => expect.toSatisfy((n) => n >= least && n <= most);
    expect(byKey.get("throw-1")).toMatchObject({ state: "failed", attempt: attempts(5, 11) });
    // Work that ran beside a crash loses that attempt, and possibly one more.
    expect(byKey.get("garbage-1")).toMatchObject({ state: "failed", attempt: attempts(0, 3) });
    expect(fine.map(({ key }) => byKey.get(key)?.attempt).filter((attempt = 0) => attempt > 3)).toEqual([]);
  });

  it("loses its lease if it blocks its process, and another process does the waiting work", async () => {
    const api = await bench().start({ role: "api" });
    const order = await send("block-1", () => api.baseUrl);
    const blocked = await bench().start({ role: "worker", worker: settings });
    await vi.waitUntil(() => blocked.begun.length === 1);
    const other = await bench().start({ role: "worker", worker: settings });
    const fine = await sendAll(keysOf("beside", 20), () => api.baseUrl);
    await bench().expectCompleted([...fine, order]);
    await vi.waitUntil(() => countEvents("attempt.lost", [blocked]) > 0);
    expect(other.begun.length).toBeGreaterThan(0);
  });
});
