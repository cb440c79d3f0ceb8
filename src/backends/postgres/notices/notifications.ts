import { coalesce } from "../../../batching/coalesce.js";
import { AsyncReplyError } from "../../../contract/errors.js";
import type { Runtime } from "../../../ports/runtime.js";
import { createWaiters, type Waiter } from "../../shared/waiters.js";
import { withoutData } from "../connection/driver-error.js";
import type { Channels } from "./channels.js";

/** Wakes up consumers that wait for due work, in this process and, through the database, in others. */
export interface Notifications {
  /**
   * Notifies this process of due work of definitions at once, and then other processes.
   *
   * Throws `QUEUE_UNAVAILABLE`.
   */
  notify(definitions: readonly string[]): Promise<void>;
  /** Registers a wait for due work of definitions. */
  expect(definitions: readonly string[]): Waiter;
  /** Ends all waits. */
  close(): void;
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

const MAX_WAITING = 1_000;
/** Characters. Keeps payloads below the limit of Postgres, 8000 bytes. */
const MAX_PAYLOAD = 4_000;

/** Creates notifications. Calls that arrive while a notification is being sent share the next one. */
export function createNotifications(options: NotificationsOptions): Notifications {
  const { channels, channel, pollMs, onLate, runtime } = options;
  const { clock } = runtime;
  // Notifications sent before the channel is open are missed, so all waits end when it opens.
  const waiters = createWaiters({ pollMs, clock, onWait: () => channels.subscribe(channel, onMessage) });
  // Created on first use: Cloudflare Workers have no randomness while a module loads.
  let self: string | undefined;
  const onMessage = (message = ""): void => {
    const { from, definitions, since } = readPayload(message);
    // Waits in this process ended before the message was sent.
    if (from !== undefined && from === self) return;
    if (from === undefined) onLate(definitions, since);
    waiters.wake(definitions);
  };

  const send = coalesce<readonly string[], void>({
    maxBatch: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    flush: async (lists) => {
      self ??= runtime.newToken();
      // Lets consumers in this process query first, on a connection that is still warm.
      if (waiters.size > 0) await runtime.pause();
      await channels.notify(channel, [toPayload(self, new Set(lists.flat()))]);
      return lists.map(() => undefined);
    },
  });

  return {
    notify: async (definitions) => {
      if (definitions.length === 0) return;
      waiters.wake(new Set(definitions));
      try {
        await send(definitions);
      } catch (error) {
        const cause = withoutData(error);
        throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The database did not accept the notification.", {
          cause,
        });
      }
    },
    expect: (definitions) => waiters.expect(definitions),
    close: () => waiters.wake(),
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
