import { setTimeout as sleep } from "node:timers/promises";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";

/** Opens the back end of a process of the driver on an SQLite file. */
export function openSqliteStore(url) {
  const database = new Database(url.slice("sqlite:".length));
  const backend = createSqliteBackend({ database });
  return {
    backend,
    /** Returns work of a `job.transaction` that calls `left` at its end. It blocks the process, so it takes no time. */
    work: (_, left) => () => {
      left();
      return { done: true };
    },
    /** Submits in a transaction, and commits it or rolls it back. */
    transaction: async (service, submissions, { commits }) => {
      const prepared = await Promise.all(submissions.map((submission) => service.prepare(...submission)));
      await beginWhenFree(database);
      try {
        const outcomes = prepared.map((submission) => submission.record(database));
        database.exec(commits ? "commit" : "rollback");
        return outcomes;
      } catch (error) {
        if (database.inTransaction) database.exec("rollback");
        throw error;
      }
    },
    close: async () => {
      await backend.close();
      database.close();
    },
  };
}

async function beginWhenFree(database) {
  for (;;) {
    try {
      database.exec("begin immediate");
      return;
    } catch (error) {
      if (!String(error).includes("locked")) throw error;
      await sleep(5);
    }
  }
}
