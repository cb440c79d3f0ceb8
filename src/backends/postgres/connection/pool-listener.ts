import type { SqlClient, SqlListener, SqlResult } from "./sql-database.js";

interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A connection that tells of notifications, as those of `pg` do. */
interface ListeningClient extends SqlClient {
  on(event: "notification", listener: (message: Notification) => void): unknown;
  on(event: "error" | "end", listener: (error?: unknown) => void): unknown;
}

/** What happens on a connection that listens. */
export interface ListeningEvents {
  onMessage(channel: string, message: string): void;
  onLost(): void;
  /** Waits for an answer, but not for ever. */
  within(answer: Promise<SqlResult>): Promise<SqlResult>;
}

/** Makes a connection of a pool one that listens. It is ended rather than given back: nobody else should hear this. */
export function listenOn(client: SqlClient, { onMessage, onLost, within }: ListeningEvents): SqlListener {
  if (!isListening(client)) {
    client.release();
    throw new TypeError("The connections of this pool do not tell of notifications.");
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
