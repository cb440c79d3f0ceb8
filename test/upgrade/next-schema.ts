import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { Client } from "pg";
import { version1 } from "../../src/backends/postgres/schema/version-1/index.js";

/** How many operations processes of each release have recorded. */
export interface Recorded {
  readonly old: number;
  readonly next: number;
}

/**
 * Adds a version to both schemas of a copy of the sources, and uses it as a release would: a column, an index on it, and on
 * Postgres a second version of the functions that record, which write the column.
 *
 * Throws if the sources have changed too much.
 */
export function addSchemaVersion(folder: string): void {
  const backends = join(folder, "src/backends");
  const change = (path: string, pattern: RegExp, by: string): void => {
    const file = join(backends, path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, replaced(text, pattern, by, path));
  };
  writeFileSync(join(backends, "postgres/schema/next.sql"), postgresVersion());
  change("postgres/schema/migrations.ts", /^/, 'import next from "./next.sql";\n');
  change("postgres/schema/migrations.ts", VERSIONS, '$&.concat({ marker: "next_v1()", text: next })');
  for (const file of ["submissions", "transactions", "calls/functions", "calls/record-many"])
    change(`postgres/${file}.ts`, RECORDING, "$1v2");
  change("sqlite/schema/versions.ts", VERSIONS, `$&.concat({ needs: 1, text: \`${SQLITE_VERSION}\` })`);
  change("sqlite/records/entry-row.ts", /(const NEW_COLUMNS\b[^{]*= \{)/, '$1 recorded_by: () => "next",');
}

/** Counts the operations of a store that is at the added version. */
export async function countRecorded(url: string): Promise<Recorded> {
  const file = /^sqlite:(.*)/.exec(url)?.[1];
  if (file !== undefined) {
    const database = new Database(file);
    const [row] = database.prepare(countIn("arr_operations")).all();
    database.close();
    return row as Recorded;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(countIn("async_request_reply.operations"));
  await client.end();
  return { old: Number(rows[0].old), next: Number(rows[0].next) };
}

/** The list of versions of a schema. */
const VERSIONS = /^const VERSIONS\b[^=]*= \[[\s\S]*?\](?=;)/m;
/** The functions of Postgres that record. */
const RECORDING = /\b(record_(?:\w+_)?|insert_one_)v1\b/g;
const CREATED_FUNCTION = /^create function \{\{schema\}\}\.(\w+)[\s\S]*?^\$function\$;\n/gm;
const INSERT = /(insert into \S+\.operations) \(([^)]*\)\s+(?:select|values \())/g;

const SQLITE_VERSION = `alter table arr_operations add column recorded_by text;
create index arr_operations_recorded_by on arr_operations (recorded_by) where recorded_by is not null;`;

function postgresVersion(): string {
  const functions = [...version1.matchAll(CREATED_FUNCTION)]
    .filter(([, name = ""]) => name.search(RECORDING) === 0)
    .map(([text]) => text.replace(RECORDING, "$1v2"))
    .join("\n");
  return `alter table {{schema}}.operations add column recorded_by text;
create index operations_recorded_by on {{schema}}.operations (recorded_by) where recorded_by is not null;
create function {{schema}}.next_v1() returns text language sql as 'select ''next''';
${replaced(functions, INSERT, "$1 (recorded_by, $2 'next', ", "recording.sql")}`;
}

function countIn(table: string): string {
  return `select count(*) - count(recorded_by) as old, count(recorded_by) as next from ${table}`;
}

function replaced(text: string, pattern: RegExp, by: string, path: string): string {
  const result = text.replace(pattern, by);
  if (result === text) throw new Error(`${path} has nothing that matches ${pattern}`);
  return result;
}
