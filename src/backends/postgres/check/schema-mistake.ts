import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { RunStatement } from "../connection/sql-database.js";
import { functionNames, SCHEMA_VERSION } from "../schema/migrations.js";
import type { ServerFacts } from "./server-mistake.js";

/**
 * Privileges that the role of a service needs on each table. The page about Postgres has the statements that grant
 * them.
 */
const TABLE_PRIVILEGES = [
  ...["select", "insert", "update", "delete"].map((privilege) => ["operations", privilege] as const),
  ...["select", "insert", "delete"].map((privilege) => ["paused", privilege] as const),
  ...["select", "insert", "update"].map((privilege) => ["shortest_leases", privilege] as const),
  ...["select", "insert", "update", "delete"].map((privilege) => ["minutes", privilege] as const),
  ...["select", "insert", "update", "delete"].map((privilege) => ["actions", privilege] as const),
  ["migrations", "select"] as const,
];

const SCHEMA = `select n.oid is not null as found, coalesce(has_schema_privilege(n.oid, 'usage'), false) as usable
from (select) as one left join pg_namespace as n on n.nspname = $1::text`;

// The order is that of the arrays, so that a message always says the same.
const LACKS = `select 'table' as kind, e.name, e.privilege, c.oid is not null as found, e.place
from unnest($2::text[], $3::text[]) with ordinality as e (name, privilege, place)
left join (pg_class as c join pg_namespace as n on n.oid = c.relnamespace and n.nspname = $1::text) on c.relname = e.name
where c.oid is null or not has_table_privilege(c.oid, e.privilege)
union all
select 'function', f.name, 'execute', p.oid is not null, f.place
from unnest($4::text[]) with ordinality as f (name, place)
left join (pg_proc as p join pg_namespace as n on n.oid = p.pronamespace and n.nspname = $1::text) on p.proname = f.name
where p.oid is null or not has_function_privilege(p.oid, 'execute')
order by kind desc, place`;

/** Returns a sentence that says how to create or upgrade a schema. */
export function howToMigrate(schema: string): string {
  return `Call \`backend.migrate()\` or apply ${sqlOf(schema)}.`;
}

function sqlOf(schema: string): string {
  const argument = schema === "async_request_reply" ? "" : ` --schema ${schema}`;
  return `the SQL printed by \`npx async-request-reply sql${argument}\``;
}

/** Returns the reason why a role could not migrate a schema. Without USAGE, the role cannot even read the schema. */
export async function findMigrationMistake(
  query: RunStatement,
  schema: string,
  facts: Pick<ServerFacts, "role" | "database">,
): Promise<AsyncReplyError> {
  const { found, usable } = await readSchema(query, schema);
  return found && !usable ? usageMissing(schema, facts.role) : createDenied(schema, facts, sqlOf(schema));
}

/** Returns the first mistake in a schema or in the grants on it, or undefined. */
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
  const { version, hidden } = await readState(query, schema);
  if (version < SCHEMA_VERSION) return versionTooOld(schema, version);
  if (missing !== undefined) return partMissing(schema, version, missing);
  if (denied.length > 0) return grantsMissing(schema, role, denied);
  return hidden ? rowsHidden(schema, role) : undefined;
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

/** Reads the version of a schema, and whether policies can hide rows of its operations from the role. */
async function readState(
  query: RunStatement,
  schema: string,
): Promise<{ readonly version: number; readonly hidden: boolean }> {
  const text = `select coalesce(max(version), 0)::integer as version,
    row_security_active(to_regclass('"${schema}".operations')::oid) as hidden from "${schema}".migrations`;
  const [row] = (await query({ text, values: [] })).rows;
  return { version: Number(row?.version), hidden: row?.hidden === true };
}

function tableMissing(schema: string, { name }: Lack): AsyncReplyError {
  return misuse(`Table ${schema}.${name} does not exist. ${howToMigrate(schema)}`);
}

function versionTooOld(schema: string, version: number): AsyncReplyError {
  return misuse(
    `Schema ${schema} has version ${version}, but this release needs version ${SCHEMA_VERSION}. ${howToMigrate(schema)}`,
  );
}

/**
 * Returns the error for a missing table or function. Later releases only add to a schema, so a newer version alone is
 * no mistake.
 */
function partMissing(schema: string, version: number, { kind, name }: Lack): AsyncReplyError {
  const needed = `version ${SCHEMA_VERSION} of this release`;
  if (version > SCHEMA_VERSION)
    return misuse(
      `Schema ${schema} has version ${version}, which is newer than ${needed} and no longer has the ${kind} ${name}. Upgrade ` +
        "`async-request-reply` in this process.",
    );
  return misuse(
    `Schema ${schema} has ${needed}, but its ${kind} ${name} is missing. Restore it from a backup, or from a new schema that ` +
      "`backend.migrate()` makes.",
  );
}

/** Table or function that does not exist, or on which the role lacks a privilege. */
interface Lack {
  readonly kind: "table" | "function";
  readonly name: string;
  readonly privilege: string;
  /** Whether the table or function exists. */
  readonly found: boolean;
}

/** Returns the error for a role without USAGE on the schema. */
function usageMissing(schema: string, role: string): AsyncReplyError {
  const grant = `grant usage on schema ${schema} to ${identifier(role)}`;
  return misuse(
    `Role "${role}" has no permission to use schema ${schema}. Run \`${grant}\` as the owner of the schema.`,
  );
}

/** Returns the error for a role that is not allowed to create or change the schema. */
function createDenied(
  schema: string,
  { role, database }: { readonly role: string; readonly database: string },
  sql: string,
): AsyncReplyError {
  const grant = `grant create on database ${identifier(database)} to ${identifier(role)}`;
  return misuse(
    `Role "${role}" has no permission to create or upgrade schema ${schema} in database "${database}". Run \`${grant}\`, or ` +
      `have an administrator apply ${sql} and the grants.`,
  );
}

/** Returns the error for a role without grants on tables or functions, with the statements to run. */
function grantsMissing(schema: string, role: string, denied: readonly Lack[]): AsyncReplyError {
  const functions = denied.filter(({ kind }) => kind === "function");
  const [first] = functions;
  const grants = [...tableGrants(denied)].map(([table, privileges]) => `${privileges} on ${schema}.${table}`);
  const lacks = [...grants];
  if (first !== undefined) {
    const others = functions.length - 1;
    lacks.push(`execute on function ${schema}.${first.name}${others > 0 ? ` and ${others} more` : ""}`);
    grants.push(`execute on all functions in schema ${schema}`);
  }
  const statements = grants.map((grant) => `\`grant ${grant} to ${identifier(role)}\``);
  return misuse(
    `Role "${role}" lacks ${lacks.join(", and ")}. Run ${statements.join(" and ")} as the owner of the schema.`,
  );
}

/** Returns the error for a role from which policies can hide rows. Such rows are neither run nor purged. */
function rowsHidden(schema: string, role: string): AsyncReplyError {
  return misuse(
    `Row-level security of table ${schema}.operations applies to role "${role}", so it can hide rows: work would not run. Run ` +
      `\`alter table ${schema}.operations disable row level security\`, or let the role bypass it with ` +
      `\`alter role ${identifier(role)} bypassrls\`.`,
  );
}

/** Returns the missing privileges of each table. */
function tableGrants(denied: readonly Lack[]): ReadonlyMap<string, string> {
  const grants = new Map<string, string>();
  for (const { kind, name, privilege } of denied) {
    if (kind === "function") continue;
    const known = grants.get(name);
    grants.set(name, known === undefined ? privilege : `${known}, ${privilege}`);
  }
  return grants;
}

/** Quotes a name for a statement if needed. */
function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
