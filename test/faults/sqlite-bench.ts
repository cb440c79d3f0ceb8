import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import { createChecks, type Effect, type OrderBench } from "./order-bench.js";
import { createOrderProcesses } from "./order-processes.js";

/** Opens an SQLite file, a second file for effects, and processes that use both. */
export function openSqliteBench(): OrderBench {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-bench-"));
  const path = join(folder, "orders.db");
  const database = new Database(path);
  const effects = new Database(`${path}-effects`);
  effects.exec("pragma journal_mode = wal");
  effects.exec("create table effects (operation_id text not null, item_id text not null)");
  effects.exec("create table ledger (operation_id text primary key, item_id text not null)");
  const backend = createSqliteBackend({ database });
  const processes = createOrderProcesses();
  const rowsOf = async (table: "ledger" | "effects"): Promise<Effect[]> =>
    effects.prepare(`select operation_id as operationId, item_id as itemId from ${table}`).all() as Effect[];
  return {
    ...createChecks(backend, rowsOf),
    start: (process) => processes.start({ url: `sqlite:${path}`, ...process }),
    close: async () => {
      await processes.close();
      await backend.close();
      database.close();
      effects.close();
      rmSync(folder, { recursive: true });
    },
  };
}
