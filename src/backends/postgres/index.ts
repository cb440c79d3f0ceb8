/**
 * A back end that keeps operations, keys and due work in one Postgres table. It uses your `Pool` of `pg`, or PGlite.
 *
 * @module async-request-reply/postgres
 */
export { createPostgresBackend, type PostgresBackend } from "./backend.js";
export { fromPGlite, type PGliteLike, type PGliteTransaction } from "./connection/from-pglite.js";
export { type FromPoolOptions, fromPool } from "./connection/from-pool.js";
export type {
  RunStatement,
  SqlClient,
  SqlDatabase,
  SqlListener,
  SqlPool,
  SqlResult,
  SqlStatement,
} from "./connection/sql-database.js";
export { postgresMigrations } from "./schema/migrations.js";
export type { PostgresBackendOptions } from "./settings.js";
