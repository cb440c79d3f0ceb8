import { expect, vi } from "vitest";
import type { OrderBench } from "./order-bench.js";
import { countEvents, type OrderProcess, type ProcessOptions } from "./order-processes.js";
import { type SentOrder, send } from "./orders.js";

type WorkerOptions = Omit<ProcessOptions, "role" | "url">;

/** Submits an order in a process that then stops, so that no other one runs. */
export async function submitAlone({ start }: OrderBench, key: string): Promise<SentOrder> {
  const api = await start({ role: "api" });
  const order = await send(key, () => api.baseUrl);
  await api.stop();
  return order;
}

/** Lets a worker kill itself at `crashAt`, and another one do the rest of the work. */
export async function crashAndReplace(
  bench: OrderBench,
  { crashAt = "", ...options }: WorkerOptions,
): Promise<void> {
  const crashing = await bench.start({ role: "worker", crashAt, ...options });
  expect(await crashing.exited).toBeNull();
  const other = await bench.start({ role: "worker", ...options });
  await bench.untilTerminal();
  expect(await other.stop()).toBe(0);
}

/** Starts a worker and waits until it begins an attempt. */
export async function startAndBegin({ start }: OrderBench, options: WorkerOptions): Promise<OrderProcess> {
  const worker = await start({ role: "worker", ...options });
  await vi.waitUntil(() => worker.begun.length === 1);
  return worker;
}

/** Starts a worker that pauses at `crashAt` in its first attempt. */
export function startPausing(bench: OrderBench, options: WorkerOptions): Promise<OrderProcess> {
  return startAndBegin(bench, { ...options, crashBy: "SIGSTOP" });
}

/** Lets a paused worker go on, and waits until it notices that its attempt is lost. */
export async function continueAndLose(paused: OrderProcess): Promise<void> {
  paused.kill("SIGCONT");
  await vi.waitUntil(() => countEvents("attempt.lost", [paused]) > 0);
}
