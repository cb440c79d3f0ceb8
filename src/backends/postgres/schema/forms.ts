/** Converts statements to the text of a migration. */
type Form = (statements: readonly string[]) => string;

/** The form that each migration tool wants. `sql` is a script for `psql` and tools that run plain SQL. */
export const MIGRATION_FORMS: Readonly<Record<string, Form>> = {
  sql: script,
  drizzle: (statements) => statements.join("--> statement-breakpoint\n"),
  flyway: script,
  // Knex reads a question mark as a parameter. CommonJS is loaded with its default settings.
  knex: (statements) => `exports.up = async (knex) => {
${each(statements, (text) => `  await knex.raw(${literal(text.replaceAll("?", "\\?"))});`)}
};

// Earlier releases work with the new schema.
exports.down = async () => {};
`,
  kysely: (statements) => `import { sql } from "kysely";

export async function up(db) {
${each(statements, (text) => `  await sql.raw(${literal(text)}).execute(db);`)}
}
`,
  "node-pg-migrate": (statements) => `-- Up Migration
${script(statements)}
-- Down Migration
-- Earlier releases work with the new schema.
`,
  prisma: script,
};

function script(statements: readonly string[]): string {
  return statements.join("\n");
}

function each(statements: readonly string[], toLine: (text: string) => string): string {
  return statements.map(toLine).join("\n");
}

/** Returns a template literal, so that the file keeps the lines of the SQL. */
function literal(text: string): string {
  return `\`${text.replace(/[\\`]|\$\{/g, "\\$&")}\``;
}
