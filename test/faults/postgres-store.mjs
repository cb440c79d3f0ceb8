import { createPostgresBackend } from "async-request-reply/postgres";
import pg from "pg";

/** Opens the back end of a process on Postgres, and the tables of its effects. */
export function openPostgresStore(options) {
  const openPool = (extra) => {
    const pool = new pg.Pool({ connectionString: options.url, connectionTimeoutMillis: 2_000, ...extra });
    // Without a listener a broken idle connection would end the process.
    pool.on("error", () => {});
    return pool;
  };
  const pool = openPool(options.pool);
  const ledger = openPool({ connectionString: options.ledgerUrl ?? options.url, max: 4 });
  const backend = createPostgresBackend({ pool, ...options.backend });
  for (let stuck = 0; stuck < (options.stuckConnections ?? 0); stuck += 1)
    pool.query("SELECT pg_sleep(600)").catch(() => {});
  return {
    backend,
    writeEffect: async (values, connection = ledger) => {
      await connection.query(
        "INSERT INTO effects (operation_id, item_id, attempt) VALUES ($1, $2, $3)",
        values,
      );
      await connection.query(
        "INSERT INTO ledger (operation_id, item_id, attempt) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        values,
      );
    },
    close: async () => {
      await backend.close();
      await Promise.all([pool.end(), ledger.end()]);
    },
  };
}
