import type { Row } from "../../shared/row.js";
import type { SqliteDatabase, SqliteValue } from "./sqlite-database.js";

/** Runs statements. Prepares each of them once. */
export interface Statements {
  /** Runs SQL text without parameters. */
  exec(sql: string): void;
  /** Runs steps within the open transaction. If they throw, undoes what they did, and rethrows their error. */
  nested<Result>(steps: () => Result): Result;
  /** Runs a statement that returns no rows. */
  run(sql: string, ...values: SqliteValue[]): void;
  /** Returns all rows. */
  all(sql: string, ...values: SqliteValue[]): readonly Row[];
  /** Returns the first row, if there is one. */
  first(sql: string, ...values: SqliteValue[]): Row | undefined;
}

/** Statements on a connection, which can open transactions. */
export interface ConnectionStatements extends Statements {
  /** Begins a transaction that has the lock for writing. Throws at once if another connection has it. */
  begin(): void;
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
export function createStatements(database: SqliteDatabase): ConnectionStatements {
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
  const run = (sql: string, ...values: SqliteValue[]): void => void prepare(sql).run(...values);
  return {
    exec: (sql) => void database.exec(sql),
    nested: (steps) => {
      run("savepoint arr_nested");
      let result: ReturnType<typeof steps>;
      try {
        result = steps();
      } catch (error) {
        rollBack(run);
        throw error;
      }
      run("release arr_nested");
      return result;
    },
    // Not prepared. A prepared statement of `libsql` that does not get the lock stays active until it runs again. Until then,
    // the connection reads one old state of the file.
    begin: () => void database.exec("begin immediate"),
    run,
    all,
    first: (sql, ...values) => all(sql, ...values)[0],
  };
}

/** After some errors, SQLite has already rolled the whole transaction back. */
function rollBack(run: Statements["run"]): void {
  try {
    run("rollback to arr_nested");
    run("release arr_nested");
  } catch {
    // There is nothing left to undo.
  }
}
