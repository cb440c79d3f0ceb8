import pg from "pg";

/** Opens a pool of `pg`, as teams have it beside or in their library. */
export function openPool(url) {
  const pool = new pg.Pool({ connectionString: url });
  // An idle connection can be lost.
  pool.on("error", () => {});
  return pool;
}
