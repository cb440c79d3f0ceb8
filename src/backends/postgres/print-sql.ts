#!/usr/bin/env node
import { parseArgs } from "node:util";
import { invalidOption, misuse, shown, suggestName } from "../../contract/options.js";
import { MIGRATION_FORMS } from "./schema/forms.js";
import { postgresMigrations } from "./schema/migrations.js";

const TOOLS = Object.keys(MIGRATION_FORMS);
const USAGE = `Usage: async-request-reply-postgres-sql [--for ${TOOLS.join("|")}] [--after VERSION] [--schema NAME]`;
const OPTIONS = { for: { type: "string" }, after: { type: "string" }, schema: { type: "string" } } as const;

/** Prints the migration that creates or upgrades a schema. */
try {
  process.stdout.write(migration());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function migration(): string {
  const { for: tool = "sql", after = "0", schema } = readOptions();
  const form = Object.hasOwn(MIGRATION_FORMS, tool) ? MIGRATION_FORMS[tool] : undefined;
  if (form === undefined) throw misuse(`Unknown tool ${shown(tool)}. ${suggestName("tools", tool, TOOLS)}`);
  if (!/^\d+$/.test(after)) throw invalidOption("after", "the version of your schema, such as 1", after);
  const statements = postgresMigrations(schema, { after: Number(after) });
  if (statements.length === 0)
    throw misuse(`Version ${after} is the newest of this release. There is nothing to migrate.`);
  return form(statements);
}

function readOptions(): { readonly [Name in keyof typeof OPTIONS]?: string } {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    const [problem] = String((error as Error).message).split(". ");
    throw misuse(`${problem}. ${USAGE}`);
  }
}
