import type { SqlClient, SqlListener, SqlResult } from "./sql-database.js";

interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** Connection that emits notifications, such as a client of `pg`. */
interface ListeningClient extends SqlClient {
  on(event: "notification", listener: (message: Notification) => void): unknown;
  on(event: "error" | "end", listener: (error?: unknown) => void): unknown;
}

/** Callbacks of {@link listenOn}. */
export interface ListeningEvents {
  onMessage(channel: string, message: string): void;
  onLost(): void;
  /** Waits for an answer up to a time limit. */
  within(answer: Promise<SqlResult>): Promise<SqlResult>;
}

/**
 * Listens on a connection of a pool. The connection is closed at the end, because it would still receive notifications
 * in the pool.
 */
export function listenOn(client: SqlClient, { onMessage, onLost, within }: ListeningEvents): SqlListener {
  if (!isListening(client)) {
    client.release();
    throw new TypeError(
      "The connections of this pool cannot receive notifications, because they have no method `on`. Pass `listen: false`.",
    );
  }
  let open = true;
  const end = (): void => {
    if (open) client.release(true);
    open = false;
  };
  const lost = (): void => {
    if (!open) return;
    end();
    onLost();
  };
  client.on("notification", ({ channel, payload = "" }) => {
    if (open) onMessage(channel, payload);
  });
  client.on("error", lost);
  client.on("end", lost);
  return {
    listen: async (channel) => void (await within(client.query({ text: `listen "${channel}"` }))),
    end: async () => end(),
  };
}

function isListening(client: SqlClient): client is ListeningClient {
  return "on" in client && typeof client.on === "function";
}
