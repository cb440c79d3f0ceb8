import pg from "pg";

/** Connections that each variant may have. */
export const CONNECTIONS = 32;

export function createPool(connectionString, settings = {}) {
  const options = Object.entries(settings)
    .map((setting) => `-c ${setting.join("=")}`)
    .join(" ");
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS, idleTimeoutMillis: 0, options });
  pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** A connection that breaks while nobody uses it is no affair of a bench: what is asked of it fails by itself. */
function ignore() {}

/**
 * What the product's own functions are set to: whatever a table held when a plan was made, the plan stays good. For
 * statements that are written by hand here.
 */
export const indexScansOnly = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/** A statement that each connection prepares once. */
export function prepared(name, text) {
  return (values) => ({ name, text, values });
}

/** Empties tables. A checkpoint in the middle of a sample would be the bad luck of one variant. */
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
