/**
 * A back end that keeps operations, keys and due work in an SQLite file. It uses your database of `better-sqlite3`,
 * `libsql`, `node:sqlite` or `bun:sqlite`.
 *
 * @module async-request-reply/sqlite
 */
export { createSqliteBackend, type SqliteBackend } from "./backend.js";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./connection/sqlite-database.js";
export type { Synchronous } from "./schema/open.js";
export type { SqliteBackendOptions } from "./settings.js";
