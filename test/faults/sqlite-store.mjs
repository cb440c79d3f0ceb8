import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";

/** Opens the back end of a process on an SQLite file, and a second file with its effects. */
export function openSqliteStore({ url }) {
  const path = url.slice("sqlite:".length);
  const database = new Database(path);
  const ledger = new Database(`${path}-effects`);
  ledger.exec("pragma busy_timeout = 5000");
  const backend = createSqliteBackend({ database });
  return {
    backend,
    writeEffect: async (values) => {
      ledger.prepare("insert into effects (operation_id, item_id) values (?, ?)").run(...values);
      ledger.prepare("insert or ignore into ledger (operation_id, item_id) values (?, ?)").run(...values);
    },
    close: async () => {
      await backend.close();
      database.close();
      ledger.close();
    },
  };
}
