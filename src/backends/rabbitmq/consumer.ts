import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import { type CallBroker, createCalls } from "../broker/calls.js";
import { createDeliveries } from "../broker/deliveries.js";
import { createShares, type Share } from "../broker/share.js";
import { BROKER, type DeclareQueue } from "./declarations.js";
import { createLane, type Lane } from "./lane.js";
import { startRound } from "./round.js";
import type { RabbitmqSettings } from "./settings.js";

/** A consumer with a way to close its channels at once. */
export interface RabbitmqConsumer extends Consumer {
  /** Closes the channels. The broker gives unacked messages to other consumers. */
  end(): Promise<void>;
}

/** Time for the queues to end their consumers. One that does not answer must not hold back the others. Milliseconds. */
const ENDING_MS = 200;

/**
 * Creates a consumer with one channel per definition. Each call to `receive` starts consumers of the broker and ends
 * them with the first message. A consumer that stays would be sent messages while the worker is busy, and idle workers
 * would wait.
 */
export function createRabbitmqConsumer(
  settings: RabbitmqSettings,
  { call, declareQueue }: { readonly call: CallBroker; readonly declareQueue: DeclareQueue },
  definitions: readonly ConsumedDefinition[],
): RabbitmqConsumer {
  const { observe, runtime } = settings;
  const callBriefly = createCalls(BROKER, { timeoutMs: ENDING_MS, runtime });
  const deliveries = createDeliveries(settings);
  const context = { settings, call, declareQueue, deliveries };
  const lanes = new Map(definitions.map(({ name }) => [name, createLane(context, name)]));
  const sharesOf = createShares(definitions);
  const report = (error: unknown): void => observe({ event: "background.failed", step: "receive", error });

  function lanesOf(shares: readonly Share[]): readonly (readonly [lane: Lane, count: number])[] {
    return shares.map(({ definition, count }) => [lanes.get(definition) as Lane, count]);
  }

  /** Returns what came, and reports errors. Throws if nothing came because every queue failed. */
  function outcomeOf(
    taken: readonly Delivery[],
    errors: readonly unknown[],
    asked: number,
  ): readonly Delivery[] {
    if (taken.length === 0 && errors.length > 0 && errors.length === asked) throw errors[0];
    errors.forEach(report);
    return taken;
  }

  async function takeAvailable({ slots, limit }: ReceiveRequest): Promise<readonly Delivery[]> {
    const taken: Delivery[] = [];
    const errors: unknown[] = [];
    const asked = lanesOf(sharesOf({ slots, limit }));
    for (const [lane, count] of asked) {
      if (taken.length === limit) break;
      await lane.takeAvailable(Math.min(count, limit - taken.length)).then(
        (found) => taken.push(...found),
        (error: unknown) => errors.push(error),
      );
    }
    return outcomeOf(taken, errors, asked.length);
  }

  async function takeFirst({ slots, limit, signal }: ReceiveRequest): Promise<readonly Delivery[]> {
    const all = lanesOf(sharesOf({ slots, limit }));
    const ready = all.filter(([lane]) => lane.isReady());
    const { clock } = runtime;
    const { listening, ...round } = startRound({ lanes: ready.length, limit, clock, report });
    if (ready.length < all.length) round.endSoon();
    signal.addEventListener("abort", round.end);
    const ending = ready.map(([lane, count]) => lane.listen({ count, ...listening }).catch(round.fail));
    await listening.ended;
    signal.removeEventListener("abort", round.end);
    await callBriefly(() => Promise.all(ending)).catch(() => {});
    round.close();
    return outcomeOf(round.taken, round.errors, ready.length);
  }

  async function end(): Promise<void> {
    await Promise.all([...lanes.values()].map((lane) => lane.close()));
  }

  return {
    receive: (request) => (request.signal.aborted ? takeAvailable(request) : takeFirst(request)),
    close: async () => {
      await deliveries.close();
      // An ack needs the channel of its message, so channels stay open until the last one, for a limited time.
      call(() => deliveries.settled()).then(end, end);
    },
    end,
  };
}
