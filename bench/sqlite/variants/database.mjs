import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

/** Opens a new database file in its own folder. */
export function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
  const path = join(folder, "bench.db");
  const database = new Database(path);
  return {
    path,
    database,
    close: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The settings of the product: every commit waits for the disk. Some peers choose less. */
export function waitForTheDisk(database) {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
}

/** Empties tables and the log, so that no checkpoint happens in the middle of a sample. */
export function emptied(database, ...tables) {
  for (const table of tables) database.exec(`delete from ${table}`);
  database.pragma("wal_checkpoint(TRUNCATE)");
}

export function countOf(database, from) {
  return database.prepare(`select count(*) as count from ${from}`).get().count;
}
