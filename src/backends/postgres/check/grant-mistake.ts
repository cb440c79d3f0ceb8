import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";

/** A table or a function that does not exist, or that the role may not use in one way. */
export interface Lack {
  readonly kind: "table" | "function";
  readonly name: string;
  readonly privilege: string;
  /** Whether it exists. */
  readonly found: boolean;
}

/** Returns the error of a role that may not use the schema at all. */
export function usageMissing(schema: string, role: string): AsyncReplyError {
  const grant = `grant usage on schema ${schema} to ${identifier(role)}`;
  return misuse(`Role "${role}" may not use schema ${schema}. Run \`${grant}\` as its owner.`);
}

/** Returns the error of a role that may neither create the schema nor change it. */
export function createDenied(
  schema: string,
  { role, database }: { readonly role: string; readonly database: string },
  sql: string,
): AsyncReplyError {
  const grant = `grant create on database ${identifier(database)} to ${identifier(role)}`;
  return misuse(
    `Role "${role}" may not create or upgrade schema ${schema} in database "${database}". Run \`${grant}\`, or have an ` +
      `administrator apply ${sql} and the grants.`,
  );
}

/** Returns the error of a role that lacks grants on tables or functions, with the statements that grant them. */
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

/** The privileges that are missing, by table. */
function tableGrants(denied: readonly Lack[]): ReadonlyMap<string, string> {
  const grants = new Map<string, string>();
  for (const { kind, name, privilege } of denied) {
    if (kind === "function") continue;
    const known = grants.get(name);
    grants.set(name, known === undefined ? privilege : `${known}, ${privilege}`);
  }
  return grants;
}

/** A name as it stands in a statement. */
function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
