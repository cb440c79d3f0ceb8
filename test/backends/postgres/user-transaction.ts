import type { Pool, PoolClient } from "pg";

/** Runs a function in a transaction of the user, and rolls back what the function has not committed. */
export async function inTransaction<Result>(
  pool: Pool,
  run: (tx: PoolClient) => Promise<Result>,
  isolation = "",
): Promise<Result> {
  const tx = await pool.connect();
  try {
    await tx.query(`begin ${isolation}`);
    return await run(tx);
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

/** Runs a function in a transaction of the user, which ends as requested. */
export function endingWith<Result>(
  end: "commit" | "rollback",
  pool: Pool,
  run: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (tx) => {
    const result = await run(tx);
    await tx.query(end);
    return result;
  });
}
