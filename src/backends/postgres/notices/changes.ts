import { isOperationId } from "../../../contract/operation.js";
import { sleep, withinTime } from "../../../platform/waits.js";
import type { Clock } from "../../../ports/runtime.js";
import { createWatchers, type Watchers } from "../../shared/local-notices.js";
import type { Channels } from "./channels.js";

/** Notifies watchers when operations change. */
export interface Changes extends Watchers {
  /** Notifies watchers in this process at once, and in other processes in the background. Best effort. */
  changed(operationId: string): void;
  /** Notifies watchers in this process. No other process knows a new operation. */
  created(operationId: string): void;
  /** Resolves when other processes were notified of everything so far, or if the server does not answer in time. */
  close(): Promise<void>;
}

/** Keeps payloads below the limit of Postgres, 8000 bytes. An id and a space are 37 bytes. */
const MAX_IDS = 200;
/** Longest wait for the last notification. Milliseconds. */
const MAX_CLOSE_MS = 1_000;
/** If more operations change during a pause, one message replaces their ids. */
const MAX_WAITING = 2_000;
/** Makes watchers look at all operations that they follow. */
const EVERYTHING = "*";

/** Options of {@link createChanges}. */
export interface ChangesOptions {
  readonly channels: Channels;
  readonly channel: string;
  /** Operations that change during this pause share a notification, so a busy process sends few of them. Milliseconds. */
  readonly pauseMs: number;
  readonly clock: Clock;
}

/** Creates changes that also reach watchers in other processes, through a channel. */
export function createChanges({ channels, channel, pauseMs, clock }: ChangesOptions): Changes {
  const { changed: created, watch } = createWatchers();
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const closing = new AbortController();

  async function send(): Promise<void> {
    // Operations that change in the same turn share the first notification.
    await undefined;
    while (waiting.size > 0) {
      const messages = messagesOf([...waiting]);
      waiting.clear();
      // Watchers also poll, so a notification can get lost.
      await channels.notify(channel, messages).catch(() => {});
      await sleep(pauseMs, clock, closing.signal);
    }
    sending = undefined;
  }

  const onMessage = (message?: string): void => {
    if (message === undefined || message === EVERYTHING) created();
    else for (const id of message.split(" ")) if (isOperationId(id)) created(id);
  };

  return {
    created,
    changed: (operationId) => {
      created(operationId);
      if (waiting.size <= MAX_WAITING) waiting.add(operationId);
      sending ??= send();
    },
    watch: (onChange) => {
      const stop = watch(onChange);
      channels.subscribe(channel, onMessage);
      return stop;
    },
    close: async () => {
      closing.abort();
      if (sending !== undefined) await withinTime(sending, MAX_CLOSE_MS, clock, tooLate).catch(() => {});
    },
  };
}

const tooLate = (): Error => new Error("The last notification was not sent in time.");

function messagesOf(ids: readonly string[]): readonly string[] {
  if (ids.length > MAX_WAITING) return [EVERYTHING];
  const messages: string[] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    messages.push(ids.slice(start, start + MAX_IDS).join(" "));
  }
  return messages;
}
