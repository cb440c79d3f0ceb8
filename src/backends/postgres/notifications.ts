import { coalesce } from "../../core/coalesce.js";
import { AsyncReplyError } from "../../core/errors.js";
import type { Channels } from "./channels.js";

/** Somebody who is about to wait: what is notified from now on ends the waiting, also if it has not begun yet. */
interface Waiter {
  /** Resolves when one of the definitions was named, after a while in any case, and when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  /** Waits no more. */
  cancel(): void;
}

/** Says through the database that there is something to do, and hears of it. */
export interface Notifications {
  /** Names definitions to everybody who listens. @throws AsyncReplyError `QUEUE_UNAVAILABLE` */
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
}

const MAX_WAITING = 1_000;
/** Postgres takes payloads below 8000 bytes. */
const MAX_PAYLOAD = 4_000;

/** Notifies with what arrives while a notification is under way joined into the next. */
export function createNotifications({ channels, channel, pollMs }: NotificationsOptions): Notifications {
  const waiters = new Set<(definitions: ReadonlySet<string> | undefined) => void>();
  const wake = (definitions?: ReadonlySet<string>): void => {
    for (const each of waiters) each(definitions);
  };
  // After what was missed, too: without a message it is for everybody.
  const hear = (message = ""): void => wake(readPayload(message));

  const notified = coalesce<readonly string[], void>({
    maxBatch: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    flush: async (lists) => {
      const definitions = new Set(lists.flat());
      await channels.notify(channel, [toPayload(definitions)]);
      if (!channels.listening()) wake(definitions);
      return lists.map(() => undefined);
    },
  });

  return {
    notify: async (definitions) => {
      if (definitions.length === 0) return;
      try {
        await notified.add(definitions);
      } catch (cause) {
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
              clearTimeout(timer);
              // The signal outlives many waits.
              signal.removeEventListener("abort", end);
              resolve();
            };
            const timer = setTimeout(end, pollMs);
            signal.addEventListener("abort", end);
          }),
        cancel: () => void waiters.delete(onNamed),
      };
    },
    close: () => wake(),
  };
}

function toPayload(definitions: ReadonlySet<string>): string {
  const payload = JSON.stringify([...definitions]);
  // In bytes it is at most three times as long. Without names it is for everybody.
  return payload.length * 3 < MAX_PAYLOAD * 2 ? payload : "";
}

/** Messages are input: what cannot be read wakes everybody. */
function readPayload(payload: string): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(payload);
    return Array.isArray(names) ? new Set(names.map(String)) : undefined;
  } catch {
    return undefined;
  }
}
