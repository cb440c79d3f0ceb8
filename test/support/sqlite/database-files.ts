import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSqliteBackend,
  type SqliteBackend,
  type SqliteBackendOptions,
} from "async-request-reply/sqlite";
import type { OpenDatabase, SqliteClient } from "./clients.js";

/** Database file of a test, with its connections. */
export interface DatabaseFile {
  readonly path: string;
  readonly folder: string;
  /** Opens another connection. */
  connect(client?: SqliteClient): OpenDatabase;
  /** Opens another connection and creates a back end on it. */
  open(options?: Omit<SqliteBackendOptions, "database">): SqliteBackend;
  /** Closes all back ends and connections, and deletes the file. */
  remove(): Promise<void>;
}

/** Creates an empty folder for a database file. */
export function newDatabaseFile(client: SqliteClient): DatabaseFile {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  const path = join(folder, "test.db");
  const databases: OpenDatabase[] = [];
  const backends: SqliteBackend[] = [];
  const connect = (by = client): OpenDatabase => {
    const database = by.open(path);
    databases.push(database);
    return database;
  };
  return {
    path,
    folder,
    connect,
    open: (options) => {
      const backend = createSqliteBackend({ database: connect(), synchronous: "normal", ...options });
      backends.push(backend);
      return backend;
    },
    remove: async () => {
      for (const backend of backends) await backend.close();
      for (const database of databases) database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
