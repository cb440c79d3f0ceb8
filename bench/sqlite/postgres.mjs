import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { createPostgresBackend } from "../../dist/postgres.js";

const { Pool } = createRequire(new URL("../../package.json", import.meta.url))("pg");

/** Creates the Postgres back end with an empty schema. */
export async function createPostgres(connectionString) {
  const schema = `bench_${randomBytes(6).toString("hex")}`;
  const pool = new Pool({ connectionString, max: 12 });
  const backend = createPostgresBackend({ pool, schema });
  await backend.migrate();
  return {
    backend,
    close: async () => {
      await backend.close();
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
    },
  };
}
