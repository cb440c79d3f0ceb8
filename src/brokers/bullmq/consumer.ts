import type { Waiters } from "../../backends/shared/waiters.js";
import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import type { CallBroker } from "../shared/calls.js";
import { createDeliveries } from "../shared/deliveries.js";
import { readMessage } from "../shared/message.js";
import type { BrokerSettings } from "../shared/settings.js";
import { createShares, type Share } from "../shared/share.js";
import type { BullmqJob, BullmqWorker } from "./bullmq.js";
import type { Parts } from "./parts.js";

/** Dependencies that a consumer shares with its queue. */
export interface ConsumerContext {
  readonly settings: BrokerSettings;
  readonly parts: Parts;
  readonly waiters: Waiters;
  readonly call: CallBroker;
}

/** Maximum number of jobs that are asked for at once. */
const MAX_AT_ONCE = 16;

/** Deliveries that were taken, and whether the queue had no more jobs. */
interface Taken {
  readonly deliveries: readonly Delivery[];
  readonly isEmpty: boolean;
}

const NO_JOB: Taken = { deliveries: [], isEmpty: true };

/**
 * Creates a consumer that takes jobs only if the worker has free slots. BullMQ's own way to wait for a job cannot be
 * interrupted, so it waits for an event of the queue instead.
 */
export function createBullmqConsumer(
  { settings, parts, waiters, call }: ConsumerContext,
  definitions: readonly ConsumedDefinition[],
): Consumer {
  const { observe, runtime } = settings;
  const deliveries = createDeliveries(settings);
  const sharesOf = createShares(definitions);

  /** Returns the delivery of a job. A job that cannot be read is completed, and there may be others behind it. */
  async function toTaken(definition: string, job: BullmqJob, token: string): Promise<Taken> {
    const accept = async (): Promise<void> => {
      await call(() => job.moveToCompleted(null, token, false));
    };
    const giveBack = async (): Promise<void> => {
      await call(() => job.moveToWait(token));
    };
    const text = typeof job.data === "string" ? job.data : "";
    const announcement = readMessage(text, definition, observe);
    if (announcement !== undefined)
      return { deliveries: [deliveries.create(announcement, { accept, giveBack })], isEmpty: false };
    await accept();
    return { deliveries: [], isEmpty: false };
  }

  /** Takes one job. A job that comes after the time limit goes back. */
  async function takeOne(definition: string, worker: BullmqWorker): Promise<Taken> {
    const token = runtime.newToken();
    const taking = worker.getNextJob(token, { block: false });
    const job = await call(() => taking).catch((error: unknown) => {
      taking.then((late) => late?.moveToWait(token)).catch(() => {});
      throw error;
    });
    return job === undefined ? NO_JOB : toTaken(definition, job, token);
  }

  /** Takes up to `count` jobs: one, then two at once, then four, until there are no more or one cannot be read. */
  async function take({ definition, count }: Share, limit: number): Promise<Taken> {
    const worker = parts.workerOf(definition);
    const wanted = Math.min(count, limit);
    const taken: Delivery[] = [];
    for (let atOnce = 1; taken.length < wanted; atOnce = Math.min(2 * atOnce, MAX_AT_ONCE)) {
      const round = Math.min(atOnce, wanted - taken.length);
      const results = await Promise.allSettled(
        Array.from({ length: round }, () => takeOne(definition, worker)),
      );
      const found = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      taken.push(...found.flatMap((each) => each.deliveries));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined && taken.length === 0) throw failed.reason;
      if (found.some(({ isEmpty }) => isEmpty)) return { deliveries: taken, isEmpty: true };
      if (failed !== undefined || found.some((each) => each.deliveries.length === 0)) break;
    }
    return { deliveries: taken, isEmpty: false };
  }

  async function takeAll({ slots, limit }: ReceiveRequest): Promise<Taken> {
    const taken: Delivery[] = [];
    let areEmpty = true;
    for (const share of sharesOf({ slots, limit })) {
      if (taken.length >= limit) break;
      try {
        const { deliveries, isEmpty } = await take(share, limit - taken.length);
        taken.push(...deliveries);
        areEmpty &&= isEmpty;
      } catch (error) {
        if (taken.length === 0) throw error;
      }
    }
    return { deliveries: taken, isEmpty: areEmpty };
  }

  return {
    receive: async (request) => {
      const { slots, signal } = request;
      let look = NO_JOB;
      do {
        // Created before the look, so that a job that is added between the look and the wait ends the wait.
        const waiter = waiters.expect([...slots.keys()]);
        try {
          look = await takeAll(request);
          if (look.deliveries.length > 0) return look.deliveries;
          // Jobs that cannot be read must not delay the ones behind them.
          if (look.isEmpty) await waiter.wait(signal);
        } finally {
          waiter.cancel();
        }
      } while (!signal.aborted || !look.isEmpty);
      return [];
    },
    close: () => deliveries.close(),
  };
}
