import { MIGRATION_FORMS } from "../backends/postgres/schema/forms.js";
import { postgresMigrations } from "../backends/postgres/schema/migrations.js";
import { invalidOption, misuse, shown, suggestName } from "../contract/options.js";
import { readArguments } from "./read-arguments.js";

const TOOLS = Object.keys(MIGRATION_FORMS);
const USAGE = `Usage: async-request-reply sql [--for ${TOOLS.join("|")}] [--after VERSION] [--schema NAME]`;
const HELP = `${USAGE}

Prints the SQL that creates or upgrades the schema of async-request-reply in Postgres. It connects to nothing.

  --for TOOL       Form of the output: a migration of this tool. Default: sql, a script for psql.
  --after VERSION  Version of your schema. Prints only what is newer. Default: 0, so everything.
  --schema NAME    Name of the schema. Default: async_request_reply.
  --help           Prints this text.
`;
const OPTIONS = {
  for: { type: "string" },
  after: { type: "string" },
  schema: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Returns the migration that creates or upgrades the schema of Postgres, or the help.
 *
 * Throws `INVALID_OPTION`.
 */
export function printSql(given: readonly string[]): string {
  const { for: tool = "sql", after = "0", schema, help } = readArguments(given, OPTIONS, USAGE).values;
  if (help === true) return HELP;
  const form = Object.hasOwn(MIGRATION_FORMS, tool) ? MIGRATION_FORMS[tool] : undefined;
  if (form === undefined) throw misuse(`Unknown tool ${shown(tool)}. ${suggestName("tools", tool, TOOLS)}`);
  if (!/^\d+$/.test(after)) throw invalidOption("after", "the version of your schema, such as 1", after);
  const statements = postgresMigrations(schema, { after: Number(after) });
  if (statements.length === 0)
    throw misuse(`Version ${after} is the newest of this release. There is nothing to migrate.`);
  return form(statements);
}
