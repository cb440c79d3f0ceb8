import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";

/** Opens the back end of a process on an SQLite file, and a second file with its effects. */
export function openSqliteStore({ url, ledgerUrl = `${url}-effects`, sqlite }) {
  const database = new Database(pathOf(url));
  const ledger = new Database(pathOf(ledgerUrl));
  ledger.exec("pragma busy_timeout = 5000");
  const backend = createSqliteBackend({ database, ...sqlite });
  return {
    backend,
    writeEffect: async (values) => {
      const columns = "(operation_id, item_id, attempt) values (?, ?, ?)";
      ledger.prepare(`insert into effects ${columns}`).run(...values);
      ledger.prepare(`insert or ignore into ledger ${columns}`).run(...values);
    },
    close: async () => {
      await backend.close();
      database.close();
      ledger.close();
    },
  };
}

function pathOf(url) {
  return url.slice("sqlite:".length);
}
