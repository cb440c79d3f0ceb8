import {
  allowAnonymous,
  type Clock,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type Job,
  type OrderDefinition,
  type Service,
  type ServiceEvent,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/platform/system-runtime.js";
import { signalOf } from "../support/worker-stage.js";

const RESTARTS = 10;

describe("a worker that is stopped in the middle of an attempt", () => {
  it.each([
    ["honors its signal", endsWithItsSignal],
    ["ignores its signal", neverEnds],
  ])("releases the attempt uncounted, ten times in a row, when the work %s", async (_, interrupted) => {
    const events: ServiceEvent[] = [];
    const service = createOrderService({
      backend: createMemoryBackend(),
      authorize: allowAnonymous(),
      observe: (event) => events.push(event),
    });
    const location = await submit(service);
    const attempts: number[] = [];
    for (let restart = 0; restart < RESTARTS; restart += 1)
      attempts.push(await workUntilBegun(service, interrupted));
    attempts.push(await workUntilBegun(service, async () => ({ shipped: true })));

    expect(attempts).toEqual(new Array(RESTARTS + 1).fill(1));
    expect(events.map(({ event }) => event).filter((event) => event !== "operation.started")).toEqual([
      "operation.accepted",
      ...new Array(RESTARTS).fill("operation.released"),
      "operation.completed",
    ]);
    expect(events.at(-1)).toMatchObject({ event: "operation.completed", attempt: 1 });
    const { body } = await service.handle({ method: "GET", path: location, headers: {} });
    expect(JSON.parse(String(body))).toMatchObject({ status: "completed", result: { shipped: true } });
  });

  it("leaves no timer that would keep its process alive", async () => {
    const clock = createCountingClock();
    const service = createOrderService({
      backend: createMemoryBackend({ clock }),
      authorize: allowAnonymous(),
      runtime: { clock },
    });
    await submit(service);
    await workUntilBegun(service, neverEnds);
    expect(clock.waiting()).toBe(0);
  });
});

type OrderService = Service<readonly [OrderDefinition], never>;

/** Submits an order and returns the location of its operation. */
async function submit(service: OrderService): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = '{"itemId":"book","quantity":1}';
  const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
  return String(reply.headers.location);
}

/** Starts a new worker, stops it once its processor has begun, and returns the number of the attempt. */
async function workUntilBegun(service: OrderService, work: (job: Job) => Promise<unknown>): Promise<number> {
  const begun = signalOf<number>();
  const orders = (_: unknown, job: Job): Promise<unknown> => {
    begun.resolve(job.attempt);
    return work(job);
  };
  const worker = createWorker(service, { orders }, { drainTimeoutMs: 1 });
  await worker.start();
  const attempt = await begun.promise;
  await worker.stop();
  return attempt;
}

function endsWithItsSignal({ signal }: Job): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

function neverEnds(): Promise<never> {
  return new Promise(() => {});
}

/** Creates a real clock that also counts its waiting timers. */
function createCountingClock(): Clock & { readonly waiting: () => number } {
  const waiting = new Set<NodeJS.Timeout>();
  return {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    schedule: (delayMs, task) => {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        task();
      }, delayMs);
      waiting.add(timer);
      return () => {
        clearTimeout(timer);
        waiting.delete(timer);
      };
    },
    waiting: () => waiting.size,
  };
}
