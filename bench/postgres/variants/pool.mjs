import pg from "pg";

/** Maximum number of connections of each variant. */
export const CONNECTIONS = 32;

export function createPool(connectionString, settings = {}) {
  const options = Object.entries(settings)
    .map((setting) => `-c ${setting.join("=")}`)
    .join(" ");
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS, idleTimeoutMillis: 0, options });
  pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** Ignores idle connections that break. If one is used, the query itself fails. */
function ignore() {}

/**
 * The planner settings of the product's own functions, for the handwritten statements: a plan stays good no matter how full the
 * table was when it was made.
 */
export const indexScansOnly = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/** Creates a statement that each connection prepares once. */
export function prepared(name, text) {
  return (values) => ({ name, text, values });
}

/** Empties tables and forces a checkpoint, so that none happens in the middle of a sample. */
export async function emptied(pool, ...tables) {
  await pool.query(`truncate ${tables.join(", ")}`);
  await pool.query("checkpoint");
}

export async function countOf(pool, from) {
  const { rows } = await pool.query(`select count(*)::integer as count from ${from}`);
  return rows[0].count;
}

/** Runs statements in one transaction. */
export async function inTransaction(pool, run) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await run(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}
