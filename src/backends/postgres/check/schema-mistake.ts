import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { RunStatement } from "../connection/sql-database.js";
import { functionNames, SCHEMA_VERSION } from "../schema/migrations.js";
import { createDenied, grantsMissing, type Lack, usageMissing } from "./grant-mistake.js";
import type { ServerFacts } from "./server-mistake.js";

/** What the role of a service needs on each table. The page on Postgres has the statements. */
const TABLE_PRIVILEGES = [
  ...["select", "insert", "update", "delete"].map((privilege) => ["operations", privilege] as const),
  ["migrations", "select"] as const,
];

const SCHEMA = `select n.oid is not null as found, coalesce(has_schema_privilege(n.oid, 'usage'), false) as usable
from (select) as one left join pg_namespace as n on n.nspname = $1::text`;

const LACKS = `select 'table' as kind, e.name, e.privilege, c.oid is not null as found
from unnest($2::text[], $3::text[]) as e (name, privilege)
left join (pg_class as c join pg_namespace as n on n.oid = c.relnamespace and n.nspname = $1::text) on c.relname = e.name
where c.oid is null or not has_table_privilege(c.oid, e.privilege)
union all
select 'function', f.name, 'execute', p.oid is not null
from unnest($4::text[]) as f (name)
left join (pg_proc as p join pg_namespace as n on n.oid = p.pronamespace and n.nspname = $1::text) on p.proname = f.name
where p.oid is null or not has_function_privilege(p.oid, 'execute')`;

/** Returns how to bring a schema up to this release. */
export function howToMigrate(schema: string): string {
  return `Call \`backend.migrate()\` or apply ${sqlOf(schema)}.`;
}

function sqlOf(schema: string): string {
  const argument = schema === "async_request_reply" ? "" : ` ${schema}`;
  return `the SQL printed by \`npx async-request-reply-postgres-sql${argument}\``;
}

/** Returns why a role could not migrate a schema. Without USAGE it cannot even look at it. */
export async function findMigrationMistake(
  query: RunStatement,
  schema: string,
  facts: Pick<ServerFacts, "role" | "database">,
): Promise<AsyncReplyError> {
  const { found, usable } = await readSchema(query, schema);
  return found && !usable ? usageMissing(schema, facts.role) : createDenied(schema, facts, sqlOf(schema));
}

/** Looks for what a schema and the grants on it lack, and returns what to do about it, or undefined. */
export async function findSchemaMistake(
  query: RunStatement,
  schema: string,
  { role, database }: Pick<ServerFacts, "role" | "database">,
): Promise<AsyncReplyError | undefined> {
  const { found, usable } = await readSchema(query, schema);
  if (!found)
    return misuse(`Schema ${schema} does not exist in database "${database}". ${howToMigrate(schema)}`);
  if (!usable) return usageMissing(schema, role);
  const lacks = await readLacks(query, schema);
  const denied = lacks.filter((lack) => lack.found);
  const [missing] = lacks.filter((lack) => !lack.found);
  const migrations = lacks.find(({ name }) => name === "migrations");
  if (migrations?.found === false) return tableMissing(schema, missing ?? migrations);
  if (migrations !== undefined) return grantsMissing(schema, role, denied);
  const version = await readVersion(query, schema);
  if (version < SCHEMA_VERSION) return versionTooOld(schema, version);
  if (missing !== undefined) return partMissing(schema, version, missing);
  return denied.length > 0 ? grantsMissing(schema, role, denied) : undefined;
}

async function readSchema(
  query: RunStatement,
  schema: string,
): Promise<{ readonly found: boolean; readonly usable: boolean }> {
  const [row = {}] = (await query({ text: SCHEMA, values: [schema] })).rows;
  return { found: row.found === true, usable: row.usable === true };
}

async function readLacks(query: RunStatement, schema: string): Promise<readonly Lack[]> {
  const [tables, privileges] = [0, 1].map((part) => TABLE_PRIVILEGES.map((each) => each[part]));
  const { rows } = await query({ text: LACKS, values: [schema, tables, privileges, functionNames()] });
  return rows.map(({ kind, name, privilege, found }) => ({
    kind: kind === "table" ? "table" : "function",
    name: String(name),
    privilege: String(privilege),
    found: found === true,
  }));
}

async function readVersion(query: RunStatement, schema: string): Promise<number> {
  const text = `select coalesce(max(version), 0)::integer as version from "${schema}".migrations`;
  const [row] = (await query({ text, values: [] })).rows;
  return Number(row?.version);
}

function tableMissing(schema: string, { name }: Lack): AsyncReplyError {
  return misuse(`Table ${schema}.${name} does not exist. ${howToMigrate(schema)}`);
}

function versionTooOld(schema: string, version: number): AsyncReplyError {
  return misuse(
    `Schema ${schema} has version ${version}, and this release needs version ${SCHEMA_VERSION}. ${howToMigrate(schema)}`,
  );
}

/** A later release adds to the schema, so only what is missing can be a mistake. */
function partMissing(schema: string, version: number, { kind, name }: Lack): AsyncReplyError {
  const needed = `version ${SCHEMA_VERSION} of this release`;
  if (version > SCHEMA_VERSION)
    return misuse(
      `Schema ${schema} has version ${version}, which is newer than ${needed} and no longer has the ${kind} ${name}. Upgrade ` +
        "`async-request-reply` in this process.",
    );
  return misuse(
    `Schema ${schema} has ${needed}, but its ${kind} ${name} is missing. Restore the schema from a backup. If it holds nothing ` +
      "that you need, drop it and call `backend.migrate()`.",
  );
}
