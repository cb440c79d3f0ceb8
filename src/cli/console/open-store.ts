import { existsSync } from "node:fs";
import { createPostgresBackend } from "../../backends/postgres/backend.js";
import type { SqlClient, SqlPool } from "../../backends/postgres/connection/sql-database.js";
import { createSqliteBackend } from "../../backends/sqlite/backend.js";
import type { SqliteDatabase } from "../../backends/sqlite/connection/sqlite-database.js";
import { createStatements } from "../../backends/sqlite/connection/statements.js";
import { FILE_VERSIONS, isCurrent } from "../../backends/sqlite/schema/versions.js";
import { misuse } from "../../contract/options.js";
import type { Backend } from "../../ports/backend.js";

/** A store that is open. */
export interface OpenStore {
  readonly backend: Backend;
  close(): Promise<void>;
}

/**
 * Opens the store at an address, with the client of the database that the user has installed. Never quotes an address of Postgres,
 * because it can hold a password.
 *
 * Throws `INVALID_OPTION`.
 */
export function openStore(address: string, schema: string | undefined): Promise<OpenStore> {
  return /^postgres(ql)?:/.test(address) ? openPostgres(address, schema) : openSqlite(address);
}

async function openPostgres(connectionString: string, schema: string | undefined): Promise<OpenStore> {
  const pg = await load<{ readonly default: { readonly Pool: PoolConstructor } }>("pg");
  if (pg === undefined) throw misuse("The client of Postgres is not installed. Run `npm install pg`.");
  const pool = new pg.default.Pool({ connectionString, max: 4 });
  // The pool replaces a broken connection when it needs one.
  pool.on("error", () => {});
  const options = schema === undefined ? {} : { schema };
  const backend = createPostgresBackend({ pool, listen: false, migrate: "manual", ...options });
  return {
    backend,
    close: async () => {
      await backend.close();
      await pool.end();
    },
  };
}

type PoolConstructor = new (options: {
  readonly connectionString: string;
  readonly max: number;
}) => SqlPool<SqlClient> & { end(): Promise<void>; on(event: "error", listener: () => void): unknown };

/** Clients of SQLite, and the members that create a database. */
const SQLITE_CLIENTS = [
  ["node:sqlite", "DatabaseSync"],
  ["better-sqlite3", "default"],
  ["libsql", "default"],
] as const;

async function openSqlite(address: string): Promise<OpenStore> {
  const file = address.replace(/^sqlite:/, "");
  if (!existsSync(file))
    throw misuse(`There is no file ${file}. Pass the path of an SQLite file, or postgres://…`);
  for (const [name, member] of SQLITE_CLIENTS) {
    const client = await load<Readonly<Record<string, new (file: string) => Closable>>>(name);
    const Database = client?.[member];
    if (Database === undefined) continue;
    const database = new Database(file);
    checkTables(file, database);
    const backend = createSqliteBackend({ database });
    return {
      backend,
      close: async () => {
        await backend.close();
        database.close();
      },
    };
  }
  throw misuse(
    "No client of SQLite is installed. Use Node.js 22.13 or later, or run `npm install better-sqlite3`.",
  );
}

/** The back end would create and upgrade tables. Throws `INVALID_OPTION` if it had to. */
function checkTables(file: string, database: SqliteDatabase): void {
  if (isCurrent(createStatements(database), FILE_VERSIONS)) return;
  throw misuse(
    `The file ${file} has no operations of this version of async-request-reply. Pass the file of your service, or start that with this ` +
      "version first.",
  );
}

type Closable = SqliteDatabase & { close(): void };

/** Imports a module, if the user has installed it. */
async function load<Module>(name: string): Promise<Module | undefined> {
  try {
    return (await import(name)) as Module;
  } catch {
    return undefined;
  }
}
