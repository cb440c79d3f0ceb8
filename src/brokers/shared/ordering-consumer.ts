import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import { onAbort } from "../../ports/waits.js";
import type { BrokerSettings } from "./settings.js";
import { createShares, type Share } from "./share.js";
import { createArrivals, type OpenSource, type Source } from "./source.js";

/** How long a call that must not wait waits for messages that the broker says it has. Milliseconds. */
const ARRIVAL_MS = 300;
/** Time after which a source that failed is used again. Milliseconds. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

interface Line {
  readonly source: Source;
  /** Whether an order waits for the broker. */
  busy: boolean;
  pausedUntil: number;
}

/**
 * Creates a consumer that orders messages for the free slots of the worker. Orders stay open between calls to
 * `receive`, so a message that comes to an idle worker costs no call to the broker. A source that hangs or fails does
 * not affect the others.
 */
export function createOrderingConsumer(
  open: OpenSource,
  { observe, runtime }: Pick<BrokerSettings, "observe" | "runtime">,
  definitions: readonly ConsumedDefinition[],
): Consumer {
  const { clock } = runtime;
  const sharesOf = createShares(definitions);
  const arrivals = createArrivals();
  const lines = new Map(definitions.map(({ name }) => [name, openLine(name)]));
  /** Definitions of the current wait whose messages can still come. */
  let expected = new Set<string>();
  let failure: { readonly error: unknown } | undefined;
  /** Number of orders that have ended. */
  let ends = 0;
  let isClosed = false;
  let wake: () => void = () => {};
  let cancelWake: () => void = () => {};

  const report = (error: unknown): void => observe({ event: "background.failed", step: "receive", error });
  const lineOf = (definition: string): Line => lines.get(definition) as Line;

  function openLine(definition: string): Line {
    const source = open(definition, {
      hasRoom: () => arrivals.roomFor(definition) > 0,
      onDelivery: (delivery, giveBack) => {
        arrivals.add(definition, delivery, giveBack);
        wake();
      },
      onEnd: () => {
        ends += 1;
        wake();
      },
      onFailure: (error) => fail(definition, error),
    });
    return { source, busy: false, pausedUntil: 0 };
  }

  function wakeSoon(ms: number, onTime: () => void = () => wake()): void {
    cancelWake();
    cancelWake = clock.schedule(ms, onTime);
  }

  function fail(definition: string, error: unknown): void {
    // The end of a channel rejects the calls that it has not answered yet.
    if (isClosed) return;
    lineOf(definition).pausedUntil = clock.elapsed() + PAUSE_AFTER_FAILURE_MS;
    if (expected.delete(definition) && expected.size === 0) {
      failure = { error };
      wake();
    } else {
      report(error);
      if (expected.size > 0) wakeSoon(PAUSE_AFTER_FAILURE_MS);
    }
  }

  function order({ definition, count }: Share): void {
    const line = lineOf(definition);
    line.busy = true;
    line.source.order(count).then(
      () => {
        line.busy = false;
      },
      (error: unknown) => {
        line.busy = false;
        fail(definition, error);
      },
    );
  }

  /** Waits until something arrives, something on order no longer comes, or the signal is aborted. */
  async function untilWoken(signal: AbortSignal, begin: () => void): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const forget = onAbort(signal, wake);
    begin();
    await woken;
    forget();
    cancelWake();
    wake = () => {};
  }

  async function waitForSome(shares: readonly Share[], signal: AbortSignal): Promise<void> {
    const now = clock.elapsed();
    const usable = shares.filter(({ definition }) => lineOf(definition).pausedUntil <= now);
    await untilWoken(signal, () => {
      expected = new Set(usable.map(({ definition }) => definition));
      if (usable.length < shares.length) wakeSoon(PAUSE_AFTER_FAILURE_MS);
      for (const share of usable) if (!lineOf(share.definition).busy) order(share);
    });
    expected.clear();
    const failed = failure;
    failure = undefined;
    if (failed === undefined) return;
    if (arrivals.isEmpty()) throw failed.error;
    report(failed.error);
  }

  /** Orders messages that the broker has now. Returns whether some are still on their way. */
  async function orderAvailable(shares: readonly Share[], errors: Map<string, unknown>): Promise<boolean> {
    let coming = false;
    for (const { definition } of shares) {
      const room = arrivals.roomFor(definition);
      if (room === 0) continue;
      const { source } = lineOf(definition);
      await source.orderAvailable(room).then(
        (some) => {
          coming ||= some;
        },
        (error: unknown) => void errors.set(definition, error),
      );
    }
    return coming;
  }

  /** Lets messages arrive that the broker has now. Other workers may be faster, so the wait for them has a limit. */
  async function waitForAvailable(shares: readonly Share[]): Promise<void> {
    const errors = new Map<string, unknown>();
    let late = false;
    const stopWaiting = (): void => {
      late = true;
      wake();
    };
    // Messages that cannot be read do not arrive, and there may be others behind them.
    while (!late) {
      const before = ends;
      if (!(await orderAvailable(shares, errors)) || !arrivals.isEmpty()) break;
      // An order may have ended before this wait.
      if (ends === before)
        await untilWoken(new AbortController().signal, () => wakeSoon(ARRIVAL_MS, stopWaiting));
    }
    await runtime.pause();
    if (arrivals.isEmpty() && errors.size > 0 && errors.size === shares.length) throw [...errors.values()][0];
    errors.forEach(report);
  }

  async function wait({ signal, ...request }: ReceiveRequest): Promise<void> {
    const shares = sharesOf(request);
    if (signal.aborted && arrivals.isEmpty()) return waitForAvailable(shares);
    while (arrivals.isEmpty() && !signal.aborted) await waitForSome(shares, signal);
    // Messages that the broker sent together arrive one after the other.
    if (!signal.aborted) await runtime.pause();
  }

  function take(): readonly Delivery[] {
    const taken = arrivals.take();
    for (const [definition, { source }] of lines) source.reduceTo(arrivals.roomFor(definition));
    return taken;
  }

  return {
    receive: async (request) => {
      arrivals.admit(request);
      try {
        await wait(request);
        return take();
      } catch (error) {
        arrivals.admitNone();
        throw error;
      } finally {
        // The worker might be stopping.
        if (request.signal.aborted) arrivals.admitNone();
      }
    },
    close: async () => {
      isClosed = true;
      cancelWake();
      arrivals.admitNone();
      arrivals.giveBack();
      await Promise.all([...lines.values()].map(({ source }) => source.close()));
    },
  };
}
