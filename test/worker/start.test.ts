import { AsyncReplyError, defineOrders } from "async-request-reply";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { interceptBackend } from "../support/intercept-backend.js";
import { createStage, signalOf } from "../support/worker-stage.js";
import { failing } from "./stage.js";

const MISTAKE = new AsyncReplyError("INVALID_OPTION", "Table orders does not exist. Create it.");
const UNREACHABLE = new AsyncReplyError("STORE_UNAVAILABLE", "No server accepts connections.");

/** A worker on a back end with this check, and how often it has checked and has looked for work. */
function stageOf(check: () => Promise<void>) {
  let [claims, checks] = [0, 0];
  const { clock, events, ...stage } = createStage([defineOrders()], (backend) => ({
    ...interceptBackend(backend, ({ method }, proceed) => {
      if (method === "claim") claims += 1;
      return proceed();
    }),
    check: () => {
      checks += 1;
      return check();
    },
  }));
  const worker = stage.worker({ orders: () => ({}) }, { drainTimeoutMs: 1 });
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
    ["has a check that throws", failing(new TypeError("no check")), new TypeError("no check")],
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
    const checked = signalOf();
    const { worker, events, claims } = stageOf(() => checked.promise.then(failing(MISTAKE)));
    const started = worker.start();
    await worker.stop();
    await started;
    checked.resolve();
    expect([claims(), events]).toEqual([0, []]);
  });
});
