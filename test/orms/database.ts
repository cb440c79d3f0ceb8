import { randomBytes } from "node:crypto";
import { Pool } from "pg";

/** Address of the database that the tests of ORMs use. */
export const DATABASE_URL: string = process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/test";

/** Returns a name that no other schema or database has. */
export function newName(): string {
  return `orms_${randomBytes(8).toString("hex")}`;
}

/** Creates an empty database on the server of a pool. */
export async function createDatabase(server: Pool) {
  const name = newName();
  await server.query(`create database ${name}`);
  const url = new URL(DATABASE_URL);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href });
  // A connection that is being closed can be lost when the database is dropped.
  pool.on("error", () => {});
  const remove = async (): Promise<void> => {
    await pool.end();
    await server.query(`drop database if exists ${name} with (force)`);
  };
  return { name, url, pool, remove };
}
