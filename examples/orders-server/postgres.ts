import type { Backend } from "async-request-reply";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import { closing } from "./closing.js";

/**
 * Time after which a query without an answer fails. Without it, a network that drops all packets would block it
 * forever.
 */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Connects to a database server. The back end creates missing tables. */
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
  return closing(createPostgresBackend({ pool }), () => pool.end());
}

/** Opens a folder as a database inside this process. The back end creates missing tables. */
export async function openPGlite(address: string): Promise<Backend> {
  const { PGlite } = await import("@electric-sql/pglite");
  const database = new PGlite(address.slice("pglite:".length));
  return closing(createPostgresBackend({ pool: fromPGlite(database) }), () => database.close());
}
