import type { OpenDatabase } from "../../support/sqlite/clients.js";

type Constructor = new (path: string) => OpenDatabase;

/** Opens a database with the client that the runtime brings. */
export function openFile(module: string, path: string): OpenDatabase {
  const exported = process.getBuiltinModule(module) as Readonly<Record<string, Constructor>>;
  const Database = exported[module === "bun:sqlite" ? "Database" : "DatabaseSync"] as Constructor;
  return new Database(path);
}
