import type { Backend } from "async-request-reply";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";

/** After so long without an answer a connection counts as dead: else a network that swallows everything would hold it for ever. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens a database server. The back end makes the tables where they are missing. */
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
  return closing(createPostgresBackend({ pool }), () => pool.end());
}

/** Opens a folder as a database inside of this process. The back end makes the tables where they are missing. */
export async function openPGlite(address: string): Promise<Backend> {
  const { PGlite } = await import("@electric-sql/pglite");
  const database = new PGlite(address.slice("pglite:".length));
  return closing(createPostgresBackend({ pool: fromPGlite(database) }), () => database.close());
}

/** The package leaves a pool open, because it may be shared. */
function closing<Tx>(backend: Backend<Tx>, end: () => Promise<void>): Backend<Tx> {
  return {
    ...backend,
    close: async () => {
      await backend.close();
      await end();
    },
  };
}
