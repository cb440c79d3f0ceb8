import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of a team's project, and a way to run programs in it, which returns what they print. */
export interface Project {
  readonly folder: string;
  /** Runs a program of `node_modules/.bin`, or of the system. */
  run(program: string, ...args: readonly string[]): Promise<string>;
}

/** A migration tool, as a team uses it. */
export interface MigrationTool {
  readonly name: string;
  /** Writes the files of a new project. */
  setUp(project: Project): unknown;
  /** Adds a migration with a text. Migrations are applied in the order of their numbers, which begin at 1. */
  add(project: Project, number: number, text: string): unknown;
  /** Applies all migrations that are not applied. */
  apply(project: Project): Promise<unknown>;
}

function write({ folder }: Project, name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

const DRIZZLE_CONFIG = `import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./schema.ts",
  out: "./drizzle",
  dbCredentials: { url: process.env.DATABASE_URL },
});
`;

const drizzle: MigrationTool = {
  name: "drizzle",
  setUp: (project) => {
    write(project, "drizzle.config.ts", DRIZZLE_CONFIG);
    write(
      project,
      "schema.ts",
      `import { boolean, pgTable, text } from "drizzle-orm/pg-core";

export const carts = pgTable("carts", { id: text("id").primaryKey(), paid: boolean("paid").notNull() });
`,
    );
  },
  add: async (project, number, text) => {
    if (number === 1) await project.run("drizzle-kit", "generate", "--name", "init");
    const name = `async-request-reply-${number}`;
    await project.run("drizzle-kit", "generate", "--custom", "--name", name);
    const file = readdirSync(join(project.folder, "drizzle")).find((each) => each.endsWith(`${name}.sql`));
    write(project, `drizzle/${file}`, text);
  },
  apply: (project) => project.run("drizzle-kit", "migrate"),
};

const knex: MigrationTool = {
  name: "knex",
  setUp: (project) =>
    write(
      project,
      "knexfile.cjs",
      `module.exports = { client: "pg", connection: process.env.DATABASE_URL };\n`,
    ),
  add: (project, number, text) => write(project, `migrations/2026010${number}_async_request_reply.cjs`, text),
  apply: (project) => project.run("knex", "migrate:latest", "--knexfile", "knexfile.cjs"),
};

const KYSELY_PROGRAM = `import { promises as fs } from "node:fs";
import path from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import { FileMigrationProvider, Migrator } from "kysely/migration";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
const provider = new FileMigrationProvider({ fs, path, migrationFolder: path.resolve("migrations") });
const { error } = await new Migrator({ db, provider }).migrateToLatest();
await db.destroy();
if (error) throw error;
`;

const kysely: MigrationTool = {
  name: "kysely",
  setUp: (project) => write(project, "migrate.mjs", KYSELY_PROGRAM),
  add: (project, number, text) => write(project, `migrations/2026010${number}_async_request_reply.mjs`, text),
  apply: (project) => project.run(process.execPath, "migrate.mjs"),
};

const nodePgMigrate: MigrationTool = {
  name: "node-pg-migrate",
  setUp: () => {},
  add: (project, number, text) => write(project, `migrations/170000000000${number}_orders.sql`, text),
  apply: (project) => project.run("node-pg-migrate", "up"),
};

const PRISMA_CONFIG = `import { defineConfig } from "prisma/config";

export default defineConfig({
  schema: "prisma/schema.prisma",
  datasource: { url: process.env.DATABASE_URL },
});
`;

const PRISMA_SCHEMA = `datasource db {
  provider = "postgresql"
}

model Cart {
  id   String  @id
  paid Boolean

  @@map("carts")
}
`;

const prisma: MigrationTool = {
  name: "prisma",
  setUp: (project) => {
    write(project, "prisma.config.ts", PRISMA_CONFIG);
    write(project, "prisma/schema.prisma", PRISMA_SCHEMA);
    write(project, "prisma/migrations/migration_lock.toml", `provider = "postgresql"\n`);
    write(
      project,
      "prisma/migrations/20250101000000_init/migration.sql",
      `create table carts (id text not null, paid boolean not null, constraint carts_pkey primary key (id));\n`,
    );
  },
  add: (project, number, text) =>
    write(project, `prisma/migrations/2026010${number}000000_async_request_reply/migration.sql`, text),
  apply: (project) => project.run("prisma", "migrate", "deploy"),
};

/** Applies all text each time. */
const psql = (name: string): MigrationTool => ({
  name,
  setUp: () => {},
  add: ({ folder }, _number, text) => appendFileSync(join(folder, "all.sql"), text),
  apply: (project) => project.run("psql", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", "all.sql"),
});

/** All tools for which the package prints migrations. */
export const MIGRATION_TOOLS: readonly MigrationTool[] = [
  psql("sql"),
  psql("flyway"),
  drizzle,
  knex,
  kysely,
  nodePgMigrate,
  prisma,
];
