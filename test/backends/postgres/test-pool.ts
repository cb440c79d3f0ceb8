import type { Pool, PoolConfig } from "pg";
import { onTestFinished } from "vitest";
import { openPool } from "../../support/postgres/server.js";

/** Opens a pool that ends with the test. */
export function openTestPool(options: PoolConfig = {}): Pool {
  const pool = openPool(options).on("error", () => {});
  onTestFinished(() => pool.end());
  return pool;
}
