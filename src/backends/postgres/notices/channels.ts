import type { Clock } from "../../../ports/runtime.js";
import type { SqlDatabase, SqlListener } from "../connection/sql-database.js";

/** Channels of `LISTEN` and `NOTIFY`. All that a process hears comes by one connection. */
export interface Channels {
  /** Sends messages, each below 8000 bytes. They can get lost. */
  notify(channel: string, messages: readonly string[]): Promise<void>;
  /**
   * Calls `onMessage` with what is sent to a channel from now on, and with nothing once it listens and whenever messages
   * may have been missed. A channel has one listener.
   */
  subscribe(channel: string, onMessage: (message?: string) => void): void;
  /** Ends the connection that listens. */
  close(): Promise<void>;
}

/** What {@link createChannels} takes. */
export interface ChannelsOptions {
  readonly database: Pick<SqlDatabase<unknown>, "query" | "listen">;
  /** How often the connection is asked whether it is still there: one that is only half open says nothing by itself. */
  readonly checkMs: number;
  readonly clock: Clock;
}

const FIRST_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 30_000;

/** Keeps a connection that listens as soon as there is a subscription, and opens another when it is lost. */
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
      const hear = (channel: string, message: string): void => subscribed.get(channel)?.(message);
      opened = await database.listen(hear, () => void lost(opened));
      connection = opened;
      for (const channel of subscribed.keys()) await opened.listen(channel);
      if (isClosed()) return await opened.end();
      // It was lost meanwhile.
      if (connection !== opened) return;
    } catch {
      return lost(opened);
    }
    state = "open";
    delayMs = FIRST_RECONNECT_MS;
    checkLater(opened);
    for (const onMessage of subscribed.values()) onMessage();
  }

  // Asked anew after every pause: it may have been closed meanwhile.
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
    // It is of no use any more, whatever comes of ending it.
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
      // Losing it costs a poll: no commit has to wait for the disk because of it.
      const text =
        "select set_config('synchronous_commit', 'off', true), pg_notify($1, m) from unnest($2::text[]) as m";
      await database.query({ name: "arr_notify_each", text, values: [channel, messages] });
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
