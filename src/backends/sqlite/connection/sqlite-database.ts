/** Value that is bound to a parameter. Every client can bind these types. */
export type SqliteValue = string | number | null;

/**
 * Prepared statement of a client. It is called with a {@link SqliteValue} for each parameter. The type of the
 * parameters is `never`, so that every client fits, however its types describe them.
 */
export interface SqliteStatement {
  /** Runs a statement that returns no rows. */
  run(...parameters: never[]): unknown;
  /** Runs a statement and returns its rows as objects. */
  all(...parameters: never[]): unknown[];
}

/**
 * Open database of a synchronous client. A `Database` of `better-sqlite3`, `libsql` or `bun:sqlite` fits, and so does a
 * `DatabaseSync` of `node:sqlite`.
 */
export interface SqliteDatabase {
  /** Runs SQL text with any number of statements. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}
