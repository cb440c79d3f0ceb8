import { AsyncReplyError } from "../contract/errors.js";
import { notFound } from "../http/message/refusals.js";
import { createEventBody } from "../http/streaming/event-body.js";
import { createPlaces } from "../operations/following/places.js";
import { createWaiter } from "../operations/following/waiter.js";
import type { Operator } from "../operator/operator.js";
import type { Clock } from "../ports/runtime.js";
import type { ConsoleCaller } from "./access/authorize.js";

/** Maximum number of streams of a process. One caller gets at most half of them. */
const MAX_STREAMS = 200;
/** Length of a stream. Then the page opens another one, so a proxy or a deploy ends nothing that matters. Milliseconds. */
const STREAM_MS = 60_000;
/** Changes in this time share an event. Milliseconds. */
const INTERVAL_MS = 1_000;
/** If more operations change, the event names none. */
const MAX_IDS = 100;

/** The listener, and how long it listens. */
export interface Listener {
  readonly caller: ConsoleCaller;
  /** Aborted if the browser disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** Sends pages the ids of operations that change. */
export interface Live {
  /**
   * Begins a stream of events. It ends after a minute, with the signal, or with `close`.
   *
   * Throws `NOT_FOUND` if the back end sends no notifications, and `OVERLOADED` if too many streams are open.
   */
  open(listener: Listener): AsyncIterable<Uint8Array>;
  /** Ends all streams. Later ones end at once. */
  close(): void;
}

/** The changes of an interval, as an event. */
interface Changes {
  /** Number of the interval. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Creates streams. They share a watcher of the store, which exists while any of them is open. */
export function createLive({
  operator,
  clock,
}: {
  readonly operator: Operator;
  readonly clock: Clock;
}): Live {
  const places = createPlaces(clock, MAX_STREAMS);
  const waiting = new Set<() => void>();
  const ids = new Set<string>();
  let isUnknown = false;
  let last: Changes = { number: 0, bytes: eventOf({}) };
  let streams = 0;
  let unwatch: (() => void) | undefined;
  let cancelSend: (() => void) | undefined;

  function changed(id?: string): void {
    if (id === undefined || ids.size === MAX_IDS) isUnknown = true;
    else ids.add(id);
    cancelSend ??= clock.schedule(INTERVAL_MS, send);
  }

  function send(): void {
    last = { number: last.number + 1, bytes: eventOf(isUnknown ? {} : { ids: [...ids] }) };
    forget();
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  }

  function forget(): void {
    cancelSend?.();
    cancelSend = undefined;
    ids.clear();
    isUnknown = false;
  }

  function enter(): void {
    streams += 1;
    unwatch ??= operator.watch?.(changed);
  }

  function leave(wake: () => void): void {
    waiting.delete(wake);
    streams -= 1;
    if (streams > 0) return;
    unwatch?.();
    unwatch = undefined;
    forget();
  }

  return {
    open: ({ caller, signal }) => {
      if (operator.watch === undefined) throw notFound();
      enter();
      let seen = last.number;
      const wait = { tenant: caller.id ?? "", waitMs: STREAM_MS, signal };
      const waiter = createWaiter<Changes>(places, wait, {
        take: (wake) => {
          const missed = last.number - seen;
          if (missed === 0) return void waiting.add(wake);
          seen = last.number;
          return missed === 1 ? last : { number: seen, bytes: eventOf({}) };
        },
        leave,
      });
      if (waiter === undefined)
        throw new AsyncReplyError("OVERLOADED", "Too many pages follow the operations.");
      // The first chunk tells the page that it misses nothing from now on.
      return createEventBody(clock, waiter, ":\n\n", ({ bytes }) => ({ bytes, isLast: false }));
    },
    close: places.close,
  };
}

const encoder = new TextEncoder();

function eventOf(data: { readonly ids?: readonly string[] }): Uint8Array {
  return encoder.encode(`event: changed\ndata: ${JSON.stringify(data)}\n\n`);
}
