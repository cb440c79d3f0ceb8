import {
  AsyncReplyError,
  type Backend,
  createMemoryBackend,
  createWorker,
  defineOrders,
  type ServiceEvent,
  type Worker,
} from "async-request-reply";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { replacing } from "../support/replacing.js";

const orders = defineOrders();
const MISTAKE = new AsyncReplyError("INVALID_OPTION", "Table orders does not exist. Create it.");
const UNREACHABLE = new AsyncReplyError("STORE_UNAVAILABLE", "No server accepts connections.");

interface Stage {
  readonly worker: Worker;
  readonly clock: ManualClock;
  readonly events: ServiceEvent[];
  /** How often the worker has looked for work. */
  claims(): number;
  checks(): number;
}

/** A worker on a back end with this check. */
function stageOf(check: () => Promise<void>): Stage {
  const clock = createManualClock();
  const memory: Backend = createMemoryBackend({ clock });
  const events: ServiceEvent[] = [];
  let [claims, checks] = [0, 0];
  const backend: Backend = {
    ...memory,
    operations: replacing(memory.operations, {
      claim: async (request) => {
        claims += 1;
        return memory.operations.claim(request);
      },
    }),
    check: () => {
      checks += 1;
      return check();
    },
  };
  const source = { definitions: [orders], backend, runtime: { clock } };
  const observe = (event: ServiceEvent): void => void events.push(event);
  const worker = createWorker({ ...source, observe }, { orders: () => ({}) }, { drainTimeoutMs: 1 });
  onTestFinished(async () => {
    const stopped = worker.stop();
    await clock.advance(60_000);
    await stopped;
  });
  return { worker, clock, events, claims: () => claims, checks: () => checks };
}

describe("a worker that is started", () => {
  it("checks its back end once, and begins", async () => {
    const { worker, events, claims, checks } = stageOf(async () => {});
    await Promise.all([worker.start(), worker.start()]);
    await vi.waitUntil(() => claims() > 0);
    expect([checks(), events]).toEqual([1, []]);
  });

  it("rejects with the mistake in the configuration of its back end, and does nothing", async () => {
    const { worker, clock, events, claims } = stageOf(() => Promise.reject(MISTAKE));
    await expect(worker.start()).rejects.toBe(MISTAKE);
    await clock.advance(60_000);
    expect([claims(), events]).toEqual([0, []]);
  });

  it("can be started once the mistake is corrected", async () => {
    let wrong = true;
    const { worker, claims } = stageOf(() => (wrong ? Promise.reject(MISTAKE) : Promise.resolve()));
    await expect(worker.start()).rejects.toBe(MISTAKE);
    wrong = false;
    await worker.start();
    await vi.waitUntil(() => claims() > 0);
  });

  it.each<[string, () => Promise<void>, unknown]>([
    ["cannot be reached", () => Promise.reject(UNREACHABLE), UNREACHABLE],
    [
      "has a check that throws",
      () => {
        throw new TypeError("no check");
      },
      new TypeError("no check"),
    ],
  ])("begins, and tells the observer, where the store %s", async (_, check, error) => {
    const { worker, events, claims } = stageOf(check);
    await worker.start();
    await vi.waitUntil(() => claims() > 0);
    expect(events).toEqual([{ event: "background.failed", step: "check", error }]);
  });

  it("begins without the check of a store that never answers", async () => {
    const { worker, clock, events, claims } = stageOf(() => new Promise(() => {}));
    const started = worker.start();
    await clock.advance(30_000);
    await started;
    await vi.waitUntil(() => claims() > 0);
    expect(events).toMatchObject([{ step: "check", error: { code: "STORE_UNAVAILABLE" } }]);
  });

  it("does not begin if it was stopped during the check", async () => {
    let refuse: (error: unknown) => void = () => {};
    const answer = new Promise<void>((_, reject) => {
      refuse = reject;
    });
    const { worker, events, claims } = stageOf(() => answer);
    const started = worker.start();
    await worker.stop();
    await started;
    refuse(MISTAKE);
    expect([claims(), events]).toEqual([0, []]);
  });
});
