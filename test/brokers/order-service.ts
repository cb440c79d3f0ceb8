import { expect } from "vitest";
import { type Effect, type OrderBench, startAll } from "../faults/order-bench.js";
import { type ProcessOptions, stopAll } from "../faults/order-processes.js";
import { alternate, type SentOrder, statusesOf } from "../faults/orders.js";
import { DEFAULT_NAME } from "./mixes.js";
import type { TestedClient } from "./tested-broker.js";

/** A store and a broker that an order service uses. */
interface Parts {
  bench(): OrderBench;
  client(): TestedClient;
}

/**
 * Lease of the workers. Their tests kill and pause no worker within an attempt, so even on a busy machine no attempt may be
 * lost: a second one would hide whether work was delivered twice. Milliseconds.
 */
const LEASE_MS = 30_000;

/** Starts two processes that accept, and two that work. */
export async function startOrderService({ bench, client }: Parts, options: Partial<ProcessOptions> = {}) {
  const worker = { leaseMs: LEASE_MS, ...options.worker };
  const processes = await startAll(bench(), ["api", "api", "worker", "worker"], { ...options, worker });
  const [one, other, ...workers] = processes;
  /** Waits until the broker has no message left, stops all processes, and checks that they exit with 0. */
  const stop = async (): Promise<void> => {
    // Otherwise the workers of the next test receive the rest.
    const count = (): Promise<number> => client().countMessages(DEFAULT_NAME, "orders");
    await expect.poll(count).toBe(0);
    await stopAll(processes);
  };
  return { anyApi: alternate([one, other]), workers, stop };
}

/** Checks that every order was accepted at its first try, and that its work ran once. */
export async function expectOneEffectEach(bench: OrderBench, sent: readonly SentOrder[]): Promise<void> {
  await bench.expectCompleted(sent, 100_000);
  expect(statusesOf(sent)).toEqual(new Set([202]));
  const keys = new Set(sent.map(({ key }) => key));
  const effects = (await bench.effects()).filter(({ itemId }) => keys.has(itemId));
  // With the attempts: two of one operation are from a lost lease, and one that is there twice is from a fault.
  expect(repeatsIn(effects), "orders with more than one effect").toEqual([]);
  expect(effects).toHaveLength(sent.length);
}

function repeatsIn(effects: readonly Effect[]): readonly Effect[] {
  const counts = new Map<string, number>();
  for (const { operationId } of effects) counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
  return effects.filter(({ operationId }) => counts.get(operationId) !== 1);
}
