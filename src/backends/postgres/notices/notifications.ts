import { AsyncReplyError } from "../../../contract/errors.js";
import type { DueOperation } from "../../../ports/claim.js";
import type { Clock, Runtime } from "../../../ports/runtime.js";
import { sleep } from "../../../ports/waits.js";
import { createWaiters, type Waiter } from "../../shared/waiters.js";
import { withoutData } from "../connection/driver-error.js";
import type { Channels } from "./channels.js";
import { createNewWork } from "./new-work.js";

/** Wakes up consumers that wait for due work, in this process and, through the database, in others. */
export interface Notifications {
  /**
   * Notifies this process of due operations at once, and then other processes. Does not notify them of new operations that
   * consumers of this process take within a few milliseconds.
   *
   * Throws `QUEUE_UNAVAILABLE`.
   */
  notify(operations: readonly DueOperation[]): Promise<void>;
  /** Notifies all processes of due work of definitions at once. Throws `QUEUE_UNAVAILABLE`. */
  notifyAll(definitions: ReadonlySet<string>): Promise<void>;
  /** Notifies this process of a new operation, before it is announced. */
  created(operation: DueOperation): void;
  /** Begins a look for due work, and returns a function to call with the definitions of which the look has left nothing. */
  beginLook(): (emptied: readonly string[]) => void;
  /** Notifies only this process of work of definitions that can begin now. */
  wake(definitions: ReadonlySet<string>): void;
  /** Registers a wait for due work of definitions. */
  expect(definitions: readonly string[]): Waiter;
  /** Ends all waits, and notifies other processes of what is left. */
  close(): Promise<void>;
}

/** Options of {@link createNotifications}. */
export interface NotificationsOptions {
  readonly channels: Channels;
  readonly channel: string;
  /** Maximum length of a wait, because notifications can get lost or be turned off. Milliseconds. */
  readonly pollMs: number;
  /**
   * Called before waits end for work that may have been due for long: that of these definitions, since this time, in epoch
   * milliseconds. Without definitions it can be any work, and without a time it can be due since any time.
   */
  readonly onLate: (definitions?: ReadonlySet<string>, since?: number) => void;
  readonly runtime: Pick<Runtime, "clock" | "newToken" | "pause">;
}

/** Characters. Keeps payloads below the limit of Postgres, 8000 bytes. */
const MAX_PAYLOAD = 4_000;
/** At most one notification is sent in this time, and consumers of this process have it to take new operations. */
const PAUSE_MS = 5;

/** Creates notifications. */
export function createNotifications(options: NotificationsOptions): Notifications {
  const { channels, channel, pollMs, onLate, runtime } = options;
  const { clock } = runtime;
  // Notifications sent before the channel is open are missed, so all waits end when it opens.
  const waiters = createWaiters({ pollMs, clock, onWait: () => channels.subscribe(channel, onMessage) });
  const newWork = createNewWork();
  // Created on first use: Cloudflare Workers have no randomness while a module loads.
  let self: string | undefined;
  const onMessage = (message = ""): void => {
    const { from, definitions, since } = readPayload(message);
    // Waits in this process ended before the message was sent.
    if (from !== undefined && from === self) return;
    if (from === undefined) onLate(definitions, since);
    waiters.wake(definitions);
  };

  const send = createPacedSend<string>(
    async (definitions) => {
      self ??= runtime.newToken();
      // Lets consumers in this process query first, on a connection that is still warm.
      if (waiters.size > 0) await runtime.pause();
      await channels.notify(channel, [toPayload(self, definitions)]);
    },
    PAUSE_MS,
    clock,
  );

  /**
   * The last new operation of each definition that consumers of this process may still take. Those that are added while the
   * timer runs have their turn after the others.
   */
  let left = new Map<string, number>();
  let leftNext = new Map<string, number>();
  let cancelTimer: (() => void) | undefined;

  function leave(definition: string, number: number): void {
    (cancelTimer === undefined ? left : leftNext).set(definition, number);
    cancelTimer ??= clock.schedule(PAUSE_MS, () => void sendLeft());
  }

  async function sendLeft(): Promise<void> {
    const known = [...left].flatMap(([name, number]) => (newWork.isLeft(name, number) ? [name] : []));
    for (const definition of known) leftNext.delete(definition);
    left = leftNext;
    leftNext = new Map();
    cancelTimer = left.size > 0 ? clock.schedule(PAUSE_MS, () => void sendLeft()) : undefined;
    // If the database refuses it, other processes look again at their next poll, as for any that is lost.
    if (known.length > 0) await send(known).catch(() => {});
  }

  async function notifyAll(definitions: ReadonlySet<string>): Promise<void> {
    waiters.wake(definitions);
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
    notify: async (operations) => {
      const known = new Set<string>();
      for (const { id, definition } of operations) {
        const number = newWork.take(id);
        if (number === undefined) known.add(definition);
        else leave(definition, number);
      }
      if (known.size === 0) return;
      for (const definition of known) {
        left.delete(definition);
        leftNext.delete(definition);
      }
      await notifyAll(known);
    },
    notifyAll,
    created: ({ id, definition }) => {
      if (waiters.size > 0 && waiters.wake(new Set([definition]))) newWork.add(id, definition);
    },
    beginLook: newWork.beginLook,
    expect: waiters.expect,
    close: async () => {
      waiters.wake();
      while (cancelTimer !== undefined) {
        cancelTimer();
        await sendLeft();
      }
    },
    wake: (definitions) => void waiters.wake(definitions),
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
