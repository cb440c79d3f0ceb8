import { coalesce } from "../../../batching/coalesce.js";
import { AsyncReplyError } from "../../../contract/errors.js";
import type { Runtime } from "../../../ports/runtime.js";
import { withoutData } from "../connection/error-without-data.js";
import type { Channels } from "./channels.js";

/** Somebody who is about to wait: what is notified from now on ends the waiting, also if it has not begun yet. */
interface Waiter {
  /** Resolves when one of the definitions was named, after a while in any case, and when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  /** Waits no more. */
  cancel(): void;
}

/** Says that there is something to do, and hears of it, through the database where it is in another process. */
export interface Notifications {
  /** Names definitions to this process at once, then to everybody who listens. @throws AsyncReplyError `QUEUE_UNAVAILABLE` */
  notify(definitions: readonly string[]): Promise<void>;
  /** Begins to listen for definitions. */
  expect(definitions: readonly string[]): Waiter;
  /** Ends all waiting. */
  close(): void;
}

/** What {@link createNotifications} takes. */
export interface NotificationsOptions {
  readonly channels: Channels;
  readonly channel: string;
  /** How long anybody waits at most: notifications can get lost, and with some poolers there are none. */
  readonly pollMs: number;
  readonly runtime: Pick<Runtime, "clock" | "newToken" | "pause">;
}

const MAX_WAITING = 1_000;
/** Postgres takes payloads below 8000 bytes. */
const MAX_PAYLOAD = 4_000;

/** Notifies with what arrives while a notification is under way joined into the next. */
export function createNotifications(options: NotificationsOptions): Notifications {
  const { channels, channel, pollMs, runtime } = options;
  const waiters = new Set<(definitions: ReadonlySet<string> | undefined) => void>();
  // Not chosen before it is needed: Workers make back ends where no randomness is to be had.
  let self: string | undefined;
  const wake = (definitions?: ReadonlySet<string>): void => {
    for (const each of waiters) each(definitions);
  };
  const hear = (message = ""): void => {
    const { from, definitions } = readPayload(message);
    // Whoever waits here was woken before it was sent.
    if (from === undefined || from !== self) wake(definitions);
  };

  const notified = coalesce<readonly string[], void>({
    maxBatch: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    flush: async (lists) => {
      self ??= runtime.newToken();
      // Whoever was woken here has the connection that is still warm.
      if (waiters.size > 0) await runtime.pause();
      await channels.notify(channel, [toPayload(self, new Set(lists.flat()))]);
      return lists.map(() => undefined);
    },
  });

  return {
    notify: async (definitions) => {
      if (definitions.length === 0) return;
      wake(new Set(definitions));
      try {
        await notified.add(definitions);
      } catch (error) {
        const cause = withoutData(error);
        throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The database took no notification.", { cause });
      }
    },
    expect: (definitions) => {
      let named = false;
      let end: () => void = () => {};
      const onNamed = (changed?: ReadonlySet<string>): void => {
        if (changed !== undefined && !definitions.some((definition) => changed.has(definition))) return;
        named = true;
        end();
      };
      waiters.add(onNamed);
      return {
        wait: (signal) =>
          new Promise<void>((resolve) => {
            if (named || signal.aborted) return resolve();
            // What was notified before it listens it does not hear: once it does, it wakes everybody.
            channels.subscribe(channel, hear);
            end = () => {
              cancelTimer();
              // The signal outlives many waits.
              signal.removeEventListener("abort", end);
              resolve();
            };
            const cancelTimer = runtime.clock.schedule(pollMs, end);
            signal.addEventListener("abort", end);
          }),
        cancel: () => void waiters.delete(onNamed),
      };
    },
    close: () => wake(),
  };
}

/** What one process tells the others. */
interface Payload {
  /** Unknown where it came out of a transaction of the user. */
  readonly from?: string;
  /** Without names it is for everybody. */
  readonly definitions?: ReadonlySet<string>;
}

function toPayload(from: string, definitions: ReadonlySet<string>): string {
  const payload = JSON.stringify({ from, definitions: [...definitions] });
  // In bytes it is at most three times as long.
  return payload.length * 3 < MAX_PAYLOAD * 2 ? payload : JSON.stringify({ from });
}

/** Messages are input: what cannot be read, or is none because some were missed, is for everybody. */
function readPayload(payload: string): Payload {
  try {
    const { from, definitions } = JSON.parse(payload) as Record<string, unknown>;
    return {
      ...(typeof from === "string" ? { from } : {}),
      ...(Array.isArray(definitions) ? { definitions: new Set(definitions.map(String)) } : {}),
    };
  } catch {
    return {};
  }
}
