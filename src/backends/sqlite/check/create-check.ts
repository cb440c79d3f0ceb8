import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { Connection } from "../connection/connection.js";
import { isBusy, resultCodeOf } from "../connection/result-code.js";
import type { Statements } from "../connection/statements.js";

/** Options of {@link createCheck}. */
export interface CheckOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  /** Prepares the database. */
  readonly open: () => void;
}

/** Creates the `check` of a back end. It opens the file, reads, and tries to write. */
export function createCheck({ connection, statements, open }: CheckOptions): () => Promise<void> {
  function findMistake(): AsyncReplyError | undefined {
    try {
      open();
      statements.all("select 1 from arr_operations limit 1");
      tryToWrite();
      return undefined;
    } catch (error) {
      if (isBusy(error)) throw error;
      return explain(error);
    }
  }

  function tryToWrite(): void {
    try {
      statements.run("begin immediate");
    } catch (error) {
      // Another process is writing, so the file can be written.
      if (isBusy(error)) return;
      throw error;
    }
    try {
      // SQLite does not refuse the lock of a read-only file, only the first write. This one changes nothing.
      statements.run("delete from arr_endings where seq < 0");
    } finally {
      statements.run("rollback");
    }
  }

  return async () => {
    const mistake = await connection.whenUnlocked(findMistake);
    if (mistake !== undefined) throw mistake;
  };
}

const MISTAKES: ReadonlyMap<string, string> = new Map([
  [
    "SQLITE_READONLY",
    "The database is read-only. Make the file and its folder writable for this process, and open it without a read-only option.",
  ],
  [
    "SQLITE_CANTOPEN",
    "The database file or its write-ahead log cannot be opened. Make the file, its folder and the files with `-wal` and `-shm` " +
      "at the end of their names writable for this process.",
  ],
  [
    "SQLITE_NOTADB",
    "The file is not an SQLite database, or it is encrypted. Pass the path of another file to your client of SQLite.",
  ],
  [
    "SQLITE_CORRUPT",
    "The database file is damaged. Restore it from a backup, or save what is readable with `.recover` of the sqlite3 shell.",
  ],
]);

const FAILURES: ReadonlyMap<string, string> = new Map([
  ["SQLITE_FULL", "There is no room for the database. Free space on its disk, or raise `max_page_count`."],
  [
    "SQLITE_IOERR",
    "The disk reports an error. If the file is on a network mount, move it to a local disk. Otherwise check the disk.",
  ],
  [
    "SQLITE_PROTOCOL",
    "The lock of the write-ahead log does not work. If the file is on a network mount, move it to a local disk.",
  ],
]);

/** Returns an error that says why the database cannot be used and what to do about it. */
function explain(error: unknown): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const code = resultCodeOf(error);
  const mistake = MISTAKES.get(code);
  if (mistake !== undefined) return misuse(`${mistake} (${code})`);
  const failure =
    FAILURES.get(code) ??
    "The database cannot be used. The cause of this error says why. Check that the database is open.";
  return new AsyncReplyError("STORE_UNAVAILABLE", failure, { cause: error });
}
