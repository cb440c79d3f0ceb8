import { allowAnonymous, createMemoryBackend, createOrderService, createWorker, type Job, type Processor } from "async-request-reply";
import { describe, expect, it } from "vitest";

const RESTARTS = 10;

/** Work that never ends by itself. */
const unwillingToEnd = new Promise<never>(() => {});

function endingWithSignal({ signal }: Job): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("a worker that is restarted", () => {
  it.each([
    ["heeds its signal", endingWithSignal],
    ["ignores its signal", () => unwillingToEnd],
  ])("consumes no attempts of work that %s", async (_, interruptible) => {
    const backend = createMemoryBackend();
    const events: unknown[] = [];
    const service = createOrderService({
      backend,
      authorize: allowAnonymous(),
      observe: ({ event, ...rest }) => {
        if ("attempt" in rest) events.push([event, rest.attempt]);
      },
    });
    const seen: number[] = [];

    /** Runs a new worker until its processor has begun, and stops it then. */
    async function workOnce(work: (job: Job) => Promise<unknown>): Promise<void> {
      await new Promise<void>((begun) => {
        const orders: Processor<unknown> = (__, job) => {
          seen.push(job.attempt);
          begun();
          return work(job);
        };
      });
    }
  });
});
