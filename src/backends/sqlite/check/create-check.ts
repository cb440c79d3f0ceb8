import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { Connection } from "../connection/connection.js";
import type { ConnectionStatements } from "../connection/statements.js";
import { ADVICE, isBusy, resultCodeOf } from "../connection/store-error.js";
import type { FileGuard } from "./file-guard.js";

/** Options of {@link createCheck}. */
export interface CheckOptions {
  readonly connection: Connection;
  readonly statements: ConnectionStatements;
  /** Prepares the database. */
  readonly open: () => void;
  readonly guard: FileGuard;
}

/** Creates the `check` of a back end. It opens the file, reads, and tries to write. */
export function createCheck({ connection, statements, open, guard }: CheckOptions): () => Promise<void> {
  function findMistake(): AsyncReplyError | undefined {
    try {
      open();
      guard.verify();
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
      statements.begin();
    } catch (error) {
      // Another process is writing, so the file can be written.
      if (isBusy(error)) return;
      throw error;
    }
    try {
      // SQLite does not refuse the lock of a read-only file, only the first write. This one changes nothing.
      statements.run("delete from arr_changes where seq < 0");
    } finally {
      statements.run("rollback");
    }
  }

  return async () => {
    const mistake = await connection.whenUnlocked(findMistake);
    if (mistake !== undefined) throw mistake;
  };
}

/** Errors that waiting does not mend. */
const MISTAKES: readonly string[] = ["SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_NOTADB", "SQLITE_CORRUPT"];

/** Returns an error that says why the database cannot be used and what to do about it. */
function explain(error: unknown): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const code = resultCodeOf(error);
  const advice = ADVICE.get(code);
  if (advice !== undefined && MISTAKES.includes(code)) return misuse(`${advice} (${code})`);
  const failure =
    advice ??
    "The database cannot be used. The cause of this error says why. Check that the database is open.";
  return new AsyncReplyError("STORE_UNAVAILABLE", failure, { cause: error });
}
