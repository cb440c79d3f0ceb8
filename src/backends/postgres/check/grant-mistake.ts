import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";

/** Table or function that does not exist, or on which the role lacks a privilege. */
export interface Lack {
  readonly kind: "table" | "function";
  readonly name: string;
  readonly privilege: string;
  /** Whether the table or function exists. */
  readonly found: boolean;
}

/** Returns the error for a role without USAGE on the schema. */
export function usageMissing(schema: string, role: string): AsyncReplyError {
  const grant = `grant usage on schema ${schema} to ${identifier(role)}`;
  return misuse(
    `Role "${role}" has no permission to use schema ${schema}. Run \`${grant}\` as the owner of the schema.`,
  );
}

/** Returns the error for a role that is not allowed to create or change the schema. */
export function createDenied(
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
export function grantsMissing(schema: string, role: string, denied: readonly Lack[]): AsyncReplyError {
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
export function rowsHidden(schema: string, role: string): AsyncReplyError {
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
