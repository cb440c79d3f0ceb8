import { isObject, misuse, shown } from "../../../contract/options.js";
import { record } from "../../../engine/record.js";
import type { RecordResult, Submission } from "../../../ports/submission.js";
import { type Changed, clearChanged, createChanged } from "../connection/connection.js";
import type { SqliteDatabase } from "../connection/sqlite-database.js";
import { createStatements, type Statements } from "../connection/statements.js";
import { isBusy, lockedForWriting, toStoreError } from "../connection/store-error.js";
import { fileOf } from "../schema/open.js";
import type { HashedKey } from "./keys.js";
import { createTable, type SqliteTable } from "./table.js";

/** Records a submission in the transaction that is open on a database. Throws as `PreparedRecord.record` does. */
export type RecordIn = (
  database: unknown,
  submission: Submission,
  key: HashedKey | undefined,
) => RecordResult;

/** Options of {@link createRecordIn}. */
export interface RecordInOptions {
  /** Database of the back end. */
  readonly database: SqliteDatabase;
  readonly statements: Statements;
  readonly now: () => number;
  /** Called before each record. */
  readonly onUse: () => void;
  /** Called after each new operation that is due at once. Its transaction is still open. */
  readonly onRecorded: (definition: string) => void;
}

/** A connection on which the user opens transactions. */
interface Known {
  readonly statements: Statements;
  /** Receives the operations that the table writes. The commit is the user's, so no one learns of them. */
  readonly changed: Changed;
  readonly table: SqliteTable;
}

/** Creates the function. It works on the back end's database, and on other connections to the same file. */
export function createRecordIn({ database, statements, now, onUse, onRecorded }: RecordInOptions): RecordIn {
  const known = new WeakMap<object, Known>([[database, toKnown(statements)]]);

  function toKnown(own: Statements): Known {
    const changed = createChanged();
    return { statements: own, changed, table: createTable(own, now, changed) };
  }

  function knownOf(given: unknown): Known {
    const found = isObject(given) ? known.get(given) : undefined;
    if (found !== undefined) return found;
    const added = toKnown(createStatements(checkDatabase(given, statements)));
    known.set(given as SqliteDatabase, added);
    return added;
  }

  return (given, submission, key) => {
    const { statements: own, changed, table } = knownOf(given);
    refuseClosed(own);
    if (!isInTransaction(own))
      throw misuse(
        "No transaction is open on the database. Run `begin immediate` on it, call `record`, and then run `commit`.",
      );
    lockForWriting(own);
    let result: RecordResult;
    try {
      onUse();
      result = own.nested(() => record(table, submission, key));
      clearChanged(changed);
    } catch (error) {
      throw toStoreError(error, "no");
    }
    const { definition, delayMs } = submission.operation;
    if (result.outcome === "created" && delayMs === undefined) onRecorded(definition);
    return result;
  };
}

/** Checks that a value is a connection to the same file. */
function checkDatabase(given: unknown, own: Statements): SqliteDatabase {
  const { exec, prepare } = isObject(given) ? (given as Partial<SqliteDatabase>) : {};
  if (typeof exec !== "function" || typeof prepare !== "function")
    throw misuse(
      `The argument of \`record\` must be the open database on which you have begun a transaction, not ${shown(given)}.`,
    );
  const file = fileOf(own);
  const statements = createStatements(given as SqliteDatabase);
  refuseClosed(statements);
  const other = fileOf(statements);
  if (file !== undefined && file === other) return given as SqliteDatabase;
  throw misuse(
    `The transaction is open on the database ${nameOf(other)}, but the back end uses ${nameOf(file)}. Pass the database ` +
      "of the back end, or open the same path.",
  );
}

function nameOf(file: string | undefined): string {
  return file === undefined ? "in memory" : `"${file}"`;
}

/** Clients have no common member that says so. Not prepared, because statements of `libsql` outlive their database. */
function refuseClosed(statements: Statements): void {
  try {
    statements.exec("select 1");
  } catch {
    throw misuse(
      "The argument of `record` is a database that is closed. Pass an open one, on which you have begun a transaction.",
    );
  }
}

/** Clients have no common member that says so. SQLite refuses a transaction within a transaction. */
function isInTransaction(statements: Statements): boolean {
  try {
    statements.run("begin");
  } catch {
    return true;
  }
  statements.run("rollback");
  return false;
}

/**
 * Takes the lock that writing needs, because the transaction may have begun without it. Not prepared, because `libsql`
 * refuses savepoints after a prepared statement has not got the lock.
 */
function lockForWriting(statements: Statements): void {
  try {
    statements.exec("delete from arr_changes where seq < 0");
  } catch (error) {
    throw isBusy(error) ? lockedForWriting(error) : toStoreError(error, "no");
  }
}
