import type { Row } from "../../shared/row.js";
import type { SqliteDatabase, SqliteValue } from "./sqlite-database.js";

/** Runs statements. Prepares each of them once. */
export interface Statements {
  /** Runs SQL text without parameters. */
  exec(sql: string): void;
  /** Begins a transaction that has the lock for writing. Throws at once if another connection has it. */
  begin(): void;
  /** Runs a statement that returns no rows. */
  run(sql: string, ...values: SqliteValue[]): void;
  /** Returns all rows. */
  all(sql: string, ...values: SqliteValue[]): readonly Row[];
  /** Returns the first row, if there is one. */
  first(sql: string, ...values: SqliteValue[]): Row | undefined;
}

/**
 * A {@link SqliteStatement} with the parameters that it is called with, and with the methods by which clients let a statement
 * return other rows than the database does.
 */
interface Prepared {
  run(...parameters: SqliteValue[]): unknown;
  all(...parameters: SqliteValue[]): unknown[];
  safeIntegers?(on: boolean): unknown;
  setReadBigInts?(on: boolean): unknown;
  setReturnArrays?(on: boolean): unknown;
}

/** Creates the statements of a database. */
export function createStatements(database: SqliteDatabase): Statements {
  const prepared = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql) as Prepared;
      // The user may have set other forms for the whole database. Every integer of a row is a safe one.
      statement.safeIntegers?.(false);
      statement.setReadBigInts?.(false);
      statement.setReturnArrays?.(false);
      prepared.set(sql, statement);
    }
    return statement;
  };
  const all = (sql: string, ...values: SqliteValue[]): readonly Row[] =>
    prepare(sql).all(...values) as readonly Row[];
  return {
    exec: (sql) => void database.exec(sql),
    // Not prepared. A prepared statement of `libsql` that does not get the lock stays active until it runs again. Until then,
    // the connection reads one old state of the file.
    begin: () => void database.exec("begin immediate"),
    run: (sql, ...values) => void prepare(sql).run(...values),
    all,
    first: (sql, ...values) => all(sql, ...values)[0],
  };
}
