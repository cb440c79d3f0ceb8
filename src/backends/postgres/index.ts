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
export type { SqlTransactions } from "./connection/sql-transactions.js";
export { type DrizzleLike, fromDrizzle } from "./orms/from-drizzle.js";
export { fromKnex, type KnexLike, type KnexTransaction } from "./orms/from-knex.js";
export { fromKysely, type KyselyLike, type KyselyTransaction } from "./orms/from-kysely.js";
export { fromMikroOrm, type MikroOrmLike } from "./orms/from-mikro-orm.js";
export { fromPrisma, type PrismaLike, type PrismaTransaction } from "./orms/from-prisma.js";
export { fromTypeOrm, type TypeOrmLike, type TypeOrmManager } from "./orms/from-typeorm.js";
export { type PostgresMigrationsOptions, postgresMigrations } from "./schema/migrations.js";
export type { PostgresBackendOptions } from "./settings.js";
