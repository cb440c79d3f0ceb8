import { AsyncReplyError } from "../../../contract/errors.js";
import { sleep } from "../../../platform/waits.js";
import type { Queue } from "../../../ports/queue.js";
import type { Clock, Runtime } from "../../../ports/runtime.js";
import { createListeners } from "../../shared/local-notices.js";
import { withoutData } from "../connection/driver-error.js";
import type { Channels } from "./channels.js";

/** Rings in this process and, through the database, in others. */
export interface Notifications {
  /**
   * The queue of the back end. It rings in this process at once, and then in others, unless a worker of this process takes all due
   * work of the definition within a few milliseconds.
   */
  readonly queue: Queue;
  /** Begins a claim, and returns a function to call with the definitions of which the claim has left nothing due. */
  beginLook(): (emptied: readonly string[]) => void;
}

/** Options of {@link createNotifications}. */
export interface NotificationsOptions {
  readonly channels: Channels;
  readonly channel: string;
  /** Interval at which workers hear a ring. Only if nothing else rings in them. Milliseconds. Default: none. */
  readonly pollMs: number | undefined;
  /**
   * Called before workers hear of work that may have been due for long: that of these definitions, since this time, in epoch
   * milliseconds. Without definitions it can be any work, and without a time it can be due since any time.
   */
  readonly onLate: (definitions?: ReadonlySet<string>, since?: number) => void;
  readonly runtime: Pick<Runtime, "clock" | "newToken" | "pause">;
}

/** Characters. Keeps payloads below the limit of Postgres, 8000 bytes. */
const MAX_PAYLOAD = 4_000;
/** At most one notification is sent in this time, and workers of this process have it to claim. */
const PAUSE_MS = 5;

/** Creates notifications. */
export function createNotifications(options: NotificationsOptions): Notifications {
  const { channels, channel, pollMs, onLate, runtime } = options;
  const { clock } = runtime;
  // Notifications sent before the channel is open are missed, so it rings when it opens.
  const listeners = createListeners({ pollMs, clock, onWant: () => channels.subscribe(channel, onMessage) });
  // Created on first use: Cloudflare Workers have no randomness while a module loads.
  let self: string | undefined;
  const onMessage = (message = ""): void => {
    const { from, definitions, since } = readPayload(message);
    // This process has rung before the message was sent.
    if (from !== undefined && from === self) return;
    if (from === undefined) onLate(definitions, since);
    listeners.ring(definitions);
  };

  const send = createPacedSend<string>(
    async (definitions) => {
      self ??= runtime.newToken();
      await channels.notify(channel, [toPayload(self, definitions)]);
    },
    PAUSE_MS,
    clock,
  );

  /** Number of rings so far. */
  let count = 0;
  /** The last ring before the last claim that has emptied a definition. */
  const emptiedAfter = new Map<string, number>();
  /**
   * The last ring of each definition that workers of this process may still answer. Those that come while the timer runs have
   * their turn after the others.
   */
  let left = new Map<string, number>();
  let leftNext = new Map<string, number>();
  let cancelTimer: (() => void) | undefined;

  function leave(definition: string): void {
    (cancelTimer === undefined ? left : leftNext).set(definition, count);
    cancelTimer ??= clock.schedule(PAUSE_MS, () => void sendLeft());
  }

  async function sendLeft(): Promise<void> {
    const known = [...left].flatMap(([name, ring]) => ((emptiedAfter.get(name) ?? 0) < ring ? [name] : []));
    for (const definition of known) leftNext.delete(definition);
    left = leftNext;
    leftNext = new Map();
    cancelTimer = left.size > 0 ? clock.schedule(PAUSE_MS, () => void sendLeft()) : undefined;
    // If the database refuses it, other processes learn of the work at their next claim.
    if (known.length > 0) await send(known).catch(() => {});
  }

  async function sendNow(definitions: ReadonlySet<string>): Promise<void> {
    for (const definition of definitions) {
      left.delete(definition);
      leftNext.delete(definition);
    }
    try {
      await send(definitions);
    } catch (error) {
      const cause = withoutData(error);
      throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The database did not accept the notification.", {
        cause,
      });
    }
  }

  return {
    queue: {
      listen: listeners.listen,
      publish: async (rings) => {
        const definitions = new Set(rings.map(({ definition }) => definition));
        const unwanted = new Set([...definitions].filter((name) => !listeners.isWanted(name)));
        count += 1;
        for (const definition of definitions) if (!unwanted.has(definition)) leave(definition);
        listeners.ring(definitions);
        if (unwanted.size > 0) await sendNow(unwanted);
      },
      close: async () => {
        while (cancelTimer !== undefined) {
          cancelTimer();
          await sendLeft();
        }
      },
    },
    beginLook: () => {
      const last = count;
      return (emptied) => {
        for (const definition of emptied)
          if (last > (emptiedAfter.get(definition) ?? 0)) emptiedAfter.set(definition, last);
      };
    },
  };
}

/** Message from one process to the others. */
interface Payload {
  /** Id of the sending process. Absent in messages from transactions of the user. */
  readonly from?: string;
  /** Definitions that have due work. If absent, all waits end. */
  readonly definitions?: ReadonlySet<string>;
  /** When the work of a transaction became due. Epoch milliseconds. */
  readonly since?: number;
}

function toPayload(from: string, definitions: ReadonlySet<string>): string {
  const payload = JSON.stringify({ from, definitions: [...definitions] });
  // In UTF-8, the payload is at most three times as long as in characters.
  return payload.length * 3 < MAX_PAYLOAD * 2 ? payload : JSON.stringify({ from });
}

/** Reads a message. A message that is empty or cannot be read ends all waits. */
function readPayload(payload: string): Payload {
  try {
    const { from, definitions, since } = JSON.parse(payload) as Record<string, unknown>;
    return {
      ...(typeof from === "string" ? { from } : {}),
      ...(Array.isArray(definitions) ? { definitions: new Set(definitions.map(String)) } : {}),
      ...(typeof since === "number" ? { since } : {}),
    };
  } catch {
    return {};
  }
}

/** Sends with everything that arrives in the meantime. Resolves or rejects as the send does. */
type PacedSend<Item> = (items: Iterable<Item>) => Promise<void>;

/**
 * Creates a function that sends at once if nothing was sent in the last `pauseMs` milliseconds. Calls that arrive earlier share
 * one send at the end of that time, which always follows.
 */
function createPacedSend<Item>(
  send: (items: ReadonlySet<Item>) => Promise<void>,
  pauseMs: number,
  clock: Clock,
): PacedSend<Item> {
  let next: { readonly items: Set<Item>; readonly sent: Promise<void> } | undefined;
  let free: Promise<void> = Promise.resolve();

  async function sendNext(items: Set<Item>): Promise<void> {
    await free;
    next = undefined;
    const sent = send(items);
    const pause = (): Promise<void> => sleep(pauseMs, clock);
    free = sent.then(pause, pause);
    await sent;
  }

  return (items) => {
    if (next === undefined) {
      const own = new Set<Item>();
      next = { items: own, sent: sendNext(own) };
    }
    for (const item of items) next.items.add(item);
    return next.sent;
  };
}
