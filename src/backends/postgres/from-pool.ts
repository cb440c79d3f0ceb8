import type { RunStatement, SqlClient, SqlDatabase, SqlPool } from "./sql-database.js";

interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A connection that tells of notifications, as those of `pg` do. */
interface ListeningClient extends SqlClient {
  on(event: "notification", listener: (message: Notification) => void): unknown;
  on(event: "error" | "end", listener: (error?: unknown) => void): unknown;
}

/** A pool of connections as a database. */
export function fromPool<Client extends SqlClient>(pool: SqlPool<Client>): SqlDatabase<Client> {
  return {
    query: (statement) => pool.query(statement),
    transaction: (run) => inTransaction(pool, run),
    listen: async (channel, onMessage, onLost) => {
      const client: SqlClient = await pool.connect();
      if (!isListening(client)) {
        client.release();
        throw new TypeError("The connections of this pool do not tell of notifications.");
      }
      return listenOn(client, channel, onMessage, onLost);
    },
  };
}

async function inTransaction<Client extends SqlClient, Result>(
  pool: SqlPool<Client>,
  run: (tx: Client, query: RunStatement) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query({ text: "begin" });
    const result = await run(client, (statement) => client.query(statement)).catch(async (error: unknown) => {
      await client.query({ text: "rollback" });
      broken = false;
      throw error;
    });
    await client.query({ text: "commit" });
    broken = false;
    return result;
  } finally {
    // A connection in an unknown state must not get back to others.
    client.release(broken);
  }
}

async function listenOn(
  client: ListeningClient,
  channel: string,
  onMessage: (payload: string) => void,
  onLost: (error?: unknown) => void,
): Promise<() => Promise<void>> {
  let open = true;
  const end = (error?: unknown): void => {
    if (!open) return;
    open = false;
    // It is ended rather than given back: nobody else should hear what it listens to.
    client.release(true);
    onLost(error);
  };
  client.on("notification", (message) => {
    if (open && message.channel === channel) onMessage(message.payload ?? "");
  });
  client.on("error", end);
  client.on("end", end);
  try {
    await client.query({ text: `listen "${channel}"` });
  } catch (error) {
    if (open) client.release(true);
    open = false;
    throw error;
  }
  return async () => {
    if (open) client.release(true);
    open = false;
  };
}

function isListening(client: SqlClient): client is ListeningClient {
  return "on" in client && typeof client.on === "function";
}
