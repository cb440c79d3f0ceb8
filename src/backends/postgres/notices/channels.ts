import { isOperationId } from "../../../contract/operation.js";
import { sleep, withinTime } from "../../../platform/waits.js";
import type { Clock } from "../../../ports/runtime.js";
import { createWatchers, type Watchers } from "../../shared/local-notices.js";
import type { SqlDatabase, SqlListener } from "../connection/sql-database.js";

/** Channels of `LISTEN` and `NOTIFY`. A process receives all notifications on one connection. */
export interface Channels {
  /** Sends messages, each shorter than 8000 bytes. Best effort: they can get lost. */
  notify(channel: string, messages: readonly string[]): Promise<void>;
  /**
   * Calls `onMessage` with each message on a channel. Calls it without a message when listening begins, and whenever
   * messages may have been missed. Has no effect if the channel already has a subscription.
   */
  subscribe(channel: string, onMessage: (message?: string) => void): void;
  /** Closes the listening connection. */
  close(): Promise<void>;
}

/** Options of {@link createChannels}. */
export interface ChannelsOptions {
  readonly database: Pick<SqlDatabase<unknown>, "query" | "listen">;
  /** Interval at which the connection is checked, because a half-open connection reports no error. Milliseconds. */
  readonly checkMs: number;
  readonly clock: Clock;
}

/**
 * A lost notification only delays work until the next poll, so its commit does not wait for the disk. It waits for other
 * commits with notifications, one at a time in a database, which can take longer than the time limit of the pool for locks.
 *
 * Some clients cannot read a result of type void.
 */
const NOTIFY_EACH = `select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '5s', true),
  pg_notify($1, m) is null as done from unnest($2::text[]) as m`;

const FIRST_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 30_000;

/** Creates channels. The listening connection is opened with the first subscription, and reopened if it is lost. */
export function createChannels({ database, checkMs, clock }: ChannelsOptions): Channels {
  const subscribed = new Map<string, (message?: string) => void>();
  let state: "idle" | "opening" | "open" | "closed" = "idle";
  let connection: SqlListener | undefined;
  let cancelTimer: () => void = () => {};
  let delayMs = FIRST_RECONNECT_MS;

  async function open(): Promise<void> {
    if (database.listen === undefined) return;
    state = "opening";
    let opened: SqlListener | undefined;
    try {
      const dispatch = (channel: string, message: string): void => subscribed.get(channel)?.(message);
      opened = await database.listen(dispatch, () => void lost(opened));
      connection = opened;
      for (const channel of subscribed.keys()) await opened.listen(channel);
      if (isClosed()) return await opened.end();
      // The connection was lost while it was being set up.
      if (connection !== opened) return;
    } catch {
      return lost(opened);
    }
    state = "open";
    delayMs = FIRST_RECONNECT_MS;
    checkLater(opened);
    for (const onMessage of subscribed.values()) onMessage();
  }

  // A function, so that TypeScript does not assume that the state is still the same after an `await`.
  function isClosed(): boolean {
    return state === "closed";
  }

  async function lost(which: SqlListener | undefined): Promise<void> {
    if (isClosed() || connection !== which) return;
    cancelTimer();
    connection = undefined;
    state = "opening";
    cancelTimer = clock.schedule(delayMs, () => void open());
    delayMs = Math.min(delayMs * 2, MAX_RECONNECT_MS);
    // The connection is lost, so a failure to end it does not matter.
    await which?.end().catch(() => {});
  }

  function checkLater(listener: SqlListener): void {
    cancelTimer = clock.schedule(checkMs, () => void check(listener));
  }

  async function check(checked: SqlListener): Promise<void> {
    const [channel = ""] = subscribed.keys();
    try {
      await checked.listen(channel);
      if (connection === checked && !isClosed()) checkLater(checked);
    } catch {
      await lost(checked);
    }
  }

  return {
    notify: async (channel, messages) => {
      await database.query({ name: "arr_notify_each", text: NOTIFY_EACH, values: [channel, messages] });
    },
    subscribe: (channel, onMessage) => {
      if (isClosed() || subscribed.has(channel)) return;
      subscribed.set(channel, onMessage);
      if (state === "idle") void open();
      if (state !== "open") return;
      const asked = connection;
      asked?.listen(channel).then(
        () => onMessage(),
        () => lost(asked),
      );
    },
    close: async () => {
      const last = connection;
      state = "closed";
      connection = undefined;
      cancelTimer();
      await last?.end();
    },
  };
}

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
