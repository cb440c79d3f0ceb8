import type { Backend } from "async-request-reply";
import { createPostgresBackend, fromPGlite, type PostgresBackend } from "async-request-reply/postgres";
import { StartError } from "./start-error.js";

/** After so long without an answer a connection counts as dead: else a network that swallows everything would hold it for ever. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Opens a database server, and makes the tables where they are missing.
 *
 * @throws StartError when the server cannot be used
 */
export async function openPostgres(address: string): Promise<Backend> {
  // Loaded only where it is used.
  const { Pool } = (await import("pg")).default;
  const pool = new Pool({
    connectionString: address,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // An idle connection that breaks is replaced when it is needed; without a listener it would end the process.
  pool.on("error", () => {});
  return migrated(createPostgresBackend({ pool }), () => pool.end());
}

/**
 * Opens a folder as a database inside of this process, and makes the tables where they are missing.
 *
 * @throws StartError when the folder cannot be used
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
