import { createRequire } from "node:module";
import type { SqliteDatabase } from "async-request-reply/sqlite";
import { describe, expect, it } from "vitest";

/** Database that a test has opened. */
export interface OpenDatabase extends SqliteDatabase {
  close(): unknown;
}

/** Client of SQLite that the tests use. */
export interface SqliteClient {
  readonly name: string;
  /** Opens a database file, or `:memory:`. */
  open(path: string): OpenDatabase;
}

const require = createRequire(new URL("../../sqlite/package.json", import.meta.url));

type Constructor = new (path: string) => OpenDatabase;

/** Clients from npm. `libsql` comes with the project, `better-sqlite3` with `npm ci --prefix test/sqlite`. */
const packages = ["better-sqlite3", "libsql"];

/** The clients that a tier plays. They differ in few places, so `npm test` plays one. */
const names = process.env.TEST_EFFORT === undefined ? ["libsql"] : [...packages, "node:sqlite"];

function byConstructor(Database: Constructor): SqliteClient["open"] {
  return (path) => new Database(path);
}

function loaded(name: string): SqliteClient | undefined {
  try {
    const open = byConstructor(require(name) as Constructor);
    // `better-sqlite3` loads its binary when it opens a database.
    open(":memory:").close();
    return { name, open };
  } catch {
    return undefined;
  }
}

function builtin(): SqliteClient | undefined {
  const found = process.getBuiltinModule("node:sqlite") as unknown as
    | { readonly DatabaseSync: Constructor }
    | undefined;
  if (found === undefined) return undefined;
  const { DatabaseSync } = found;
  return {
    name: "node:sqlite",
    open: (path) => new DatabaseSync(path),
  };
}

const ofNode = builtin();

/** The clients that this process can load. */
const installed: readonly SqliteClient[] = [
  ...packages.flatMap((name) => loaded(name) ?? []),
  ...(ofNode === undefined ? [] : [ofNode]),
];

/**
 * Declares tests for each client that the tier plays, or for those in `played`. A client that is not installed is skipped by name, or fails
 * if `CI` is set. The client of Node.js is skipped before Node 22.13.
 */
export function describeClients(
  title: string,
  declare: (client: SqliteClient) => void,
  played: readonly string[] = names,
): void {
  for (const name of played) {
    const client = installed.find((each) => each.name === name);
    if (client !== undefined) describe(`${title}, with ${name}`, () => declare(client));
    else if (name === "node:sqlite") it.skip(`${title}, with node:sqlite (needs Node 22.13)`);
    else
      it.skipIf(!process.env.CI)(`${title}, with ${name}`, () => {
        expect.unreachable(`${name} is missing. Run \`npm ci\` and \`npm ci --prefix test/sqlite\`.`);
      });
  }
}
