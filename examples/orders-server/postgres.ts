import type { Backend } from "async-request-reply";
import { createPostgresBackend, fromPGlite, type PostgresBackend } from "async-request-reply/postgres";
import { StartError } from "./start-error.js";

/**
 * Time after which a query without an answer fails. Without it, a network that drops all packets would block it
 * forever.
 */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to a database server and creates missing tables.
 *
 * @throws StartError if the server cannot be used
 */
export async function openPostgres(address: string): Promise<Backend> {
  // Loaded only if it is used.
  const { Pool } = (await import("pg")).default;
  const pool = new Pool({
    connectionString: address,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // The pool replaces a broken idle connection when it needs one. Without a listener, the error would end the process.
  pool.on("error", () => {});
  return migrated(createPostgresBackend({ pool }), () => pool.end());
}

/**
 * Opens a folder as a database inside this process and creates missing tables.
 *
 * @throws StartError if the folder cannot be used
 */
export async function openPGlite(address: string): Promise<Backend> {
  const { PGlite } = await import("@electric-sql/pglite");
  const database = new PGlite(address.slice("pglite:".length));
  return migrated(createPostgresBackend({ pool: fromPGlite(database) }), () => database.close());
}

async function migrated<Tx>(backend: PostgresBackend<Tx>, end: () => Promise<void>): Promise<Backend<Tx>> {
  try {
    await backend.migrate();
  } catch (error) {
    await end();
    throw new StartError(`BACKEND: cannot open the database (${reasonOf(error)})`);
  }
  return {
    ...backend,
    close: async () => {
      await backend.close();
      await end();
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}
