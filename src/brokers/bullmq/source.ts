import type { Runtime } from "../../ports/runtime.js";
import { type CallBroker, unavailable } from "../shared/calls.js";
import type { Source } from "../shared/listen.js";
import type { BullmqJob, BullmqWorker } from "./bullmq.js";
import { createPart } from "./part.js";

export const BROKER = "Redis";

/** Creates the source of a definition. It has its own worker of BullMQ, which waits for one job at a time. */
export function createBullmqSource(
  createWorker: () => BullmqWorker,
  { newToken }: Pick<Runtime, "newToken">,
  call: CallBroker,
): Source {
  let fail: (error: unknown) => void = () => {};
  const worker = createPart(
    () => {
      const created = createWorker();
      // Returns the jobs of workers that died before they completed them.
      created.startStalledCheckTimer().catch(() => {});
      return created;
    },
    call,
    (error) => fail(error),
  );

  /** Takes a job that waits now. One that comes after the time limit is lost, like any ring that is late. */
  async function takeWaiting(from: BullmqWorker, token: string): Promise<BullmqJob | undefined> {
    const taking = from.getNextJob(token, { block: false });
    return call(() => taking).catch((error: unknown) => {
      taking.then((late) => late && complete(late, token)).catch(() => {});
      throw error;
    });
  }

  /** Waits for a job. While Redis cannot be reached, BullMQ connects again, and reports it only as an event. */
  async function waitForOne(from: BullmqWorker, token: string): Promise<BullmqJob | undefined> {
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    try {
      return await Promise.race([from.getNextJob(token, { block: true }), failed]);
    } catch (error) {
      // An instance has one wait at a time, and this one goes on.
      void worker.close();
      throw error;
    } finally {
      fail = () => {};
    }
  }

  return {
    take: async () => {
      const token = newToken();
      try {
        // The same instance: after `close`, it returns nothing, and another one would be left open.
        const from = worker.get();
        const job = (await takeWaiting(from, token)) ?? (await waitForOne(from, token));
        if (job === undefined) return undefined;
        await call(() => complete(job, token));
        return typeof job.data === "string" ? job.data : "";
      } catch (error) {
        throw unavailable(BROKER, error);
      }
    },
    // BullMQ cannot interrupt a wait, which ends after 5 s. A job that comes in that time is published again.
    rest: () => {},
    close: worker.close,
  };
}

function complete(job: BullmqJob, token: string): Promise<unknown> {
  return job.moveToCompleted(null, token, false);
}
