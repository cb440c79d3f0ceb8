import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import { type CallBroker, unavailable } from "../broker/calls.js";
import { onlyOnce } from "../broker/deliveries.js";
import { readMessage } from "../broker/message.js";
import { createShares, type Share } from "../broker/share.js";
import type { JetStreamMessage } from "./jetstream.js";
import { createRequests, type Requests } from "./requests.js";
import type { NatsSettings } from "./settings.js";
import { BROKER, type Stream } from "./stream.js";

const decoder = new TextDecoder();

/** A delivery that has arrived, and the way to give it back before a worker has it. */
interface Arrived {
  readonly definition: string;
  readonly delivery: Delivery;
  readonly giveBack: () => void;
}

/** How long a call that must not wait waits for messages that are in the stream. Milliseconds. */
const ARRIVAL_MS = 100;
/** Time after which a definition whose order failed is ordered again. Milliseconds. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Creates a consumer that orders as many messages as the worker has free slots. A message that arrives while the
 * worker has no room for it goes back at once, so that an idle worker gets it.
 */
export function createNatsConsumer(
  settings: NatsSettings,
  stream: Stream,
  call: CallBroker,
  definitions: readonly ConsumedDefinition[],
): Consumer {
  const { observe, retryDelayMs, runtime } = settings;
  const sharesOf = createShares(definitions);
  const requests = new Map<string, Requests>();
  const pausedUntil = new Map<string, number>();
  const arrived: Arrived[] = [];
  let slots: ReadonlyMap<string, number> = new Map();
  let limit = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};

  function hasRoomFor(definition: string): boolean {
    const same = arrived.filter((each) => each.definition === definition).length;
    return arrived.length < limit && same < (slots.get(definition) ?? 0);
  }

  function arrive(definition: string, message: JetStreamMessage): void {
    const announcement = readMessage(decoder.decode(message.data), definition, observe);
    if (announcement === undefined) message.ack();
    else if (!hasRoomFor(definition)) message.nak();
    else {
      const once = onlyOnce();
      const delivery: Delivery = {
        announcement,
        ack: () => once(async () => message.ack()),
        nack: () => once(async () => message.nak(retryDelayMs)),
      };
      arrived.push({ definition, delivery, giveBack: () => message.nak() });
      wake();
    }
  }

  function requestsOf(definition: string): Requests {
    const known = requests.get(definition);
    if (known !== undefined) return known;
    const created = createRequests(stream, definition, call, {
      onMessage: (message) => arrive(definition, message),
      onEnd: (error) => {
        if (error !== undefined) {
          stream.forget();
          failure = { error };
        }
        wake();
      },
    });
    requests.set(definition, created);
    return created;
  }

  /**
   * Orders messages, and returns whether all definitions are on order. A definition without a consumer must not hold up
   * the others. Throws if every order failed.
   */
  async function orderAll(shares: readonly Share[]): Promise<boolean> {
    const now = runtime.clock.now();
    const ready = shares.filter(({ definition }) => (pausedUntil.get(definition) ?? 0) <= now);
    const errors: unknown[] = [];
    for (const { definition, count } of ready) {
      await requestsOf(definition)
        .order(count)
        .catch((error: unknown) => {
          errors.push(error);
          pausedUntil.set(definition, runtime.clock.now() + PAUSE_AFTER_FAILURE_MS);
        });
    }
    if (errors.length > 0 && errors.length === ready.length) throw errors[0];
    for (const error of errors) observe({ event: "background.failed", step: "receive", error });
    return ready.length - errors.length === shares.length;
  }

  /** Orders messages and waits until something arrives, a request ends, or the signal is aborted. */
  async function waitForOne(shares: readonly Share[], signal: AbortSignal): Promise<void> {
    // Created before the order, so that nothing that happens meanwhile is missed.
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stop = wake;
    let cancel: () => void = () => {};
    signal.addEventListener("abort", stop);
    try {
      if (!(await orderAll(shares))) cancel = runtime.clock.schedule(PAUSE_AFTER_FAILURE_MS, stop);
      if (!signal.aborted) await woken;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      wake = () => {};
    }
    const failed = failure;
    failure = undefined;
    if (failed !== undefined && arrived.length === 0) throw failed.error;
  }

  /** Orders only what is in the stream already. Another worker may be faster, so the wait for it is short. */
  async function waitForAvailable(shares: readonly Share[]): Promise<void> {
    const available: Share[] = [];
    for (const { definition, count } of shares) {
      const waiting = await requestsOf(definition).countWaiting();
      if (waiting > 0) available.push({ definition, count: Math.min(count, waiting) });
    }
    if (available.length === 0) return;
    const aborter = new AbortController();
    const cancel = runtime.clock.schedule(ARRIVAL_MS, () => aborter.abort());
    await waitForOne(available, aborter.signal).finally(cancel);
    await runtime.pause();
  }

  async function wait(request: ReceiveRequest): Promise<void> {
    const { signal } = request;
    const shares = sharesOf(request);
    if (signal.aborted && arrived.length === 0) return waitForAvailable(shares);
    while (arrived.length === 0 && !signal.aborted) await waitForOne(shares, signal);
    // The messages of one answer arrive one after the other.
    if (!signal.aborted) await runtime.pause();
  }

  /** Returns what has arrived. From now on, only as much as the worker still has room for is kept for it. */
  function take(aborted: boolean): readonly Delivery[] {
    const taken = arrived.splice(0);
    const left = new Map(slots);
    for (const { definition } of taken) left.set(definition, (left.get(definition) ?? 0) - 1);
    slots = left;
    // The worker might be stopping.
    limit = aborted ? 0 : limit - taken.length;
    return taken.map(({ delivery }) => delivery);
  }

  function giveBackAll(): void {
    for (const { giveBack } of arrived.splice(0)) giveBack();
  }

  return {
    receive: async (request) => {
      ({ slots, limit } = request);
      try {
        await wait(request);
        return take(request.signal.aborted);
      } catch (error) {
        limit = 0;
        throw unavailable(BROKER, error);
      }
    },
    close: async () => {
      limit = 0;
      giveBackAll();
      await Promise.all([...requests.values()].map((each) => each.close()));
    },
  };
}
