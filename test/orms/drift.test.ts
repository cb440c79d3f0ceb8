import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { describePostgres } from "../support/postgres/server.js";
import { useProject } from "./migrations/project.js";
import { MIGRATION_TOOLS, type MigrationTool, type Project } from "./migrations/tools.js";

const COUNT_PARTS = `select count(*)::integer as parts from pg_proc join pg_namespace n on n.oid = pronamespace
where nspname = 'async_request_reply'`;

await describePostgres("the schema of the package beside that of", (server) => {
  /** Lets a team create its tables with a tool, and then the back end its schema. */
  const useTool = (name: string) =>
    useProject(server, async (project) => {
      const tool = MIGRATION_TOOLS.find((each) => each.name === name) as MigrationTool;
      tool.setUp(project);
      await tool.add(project, 1, "select 1;\n");
      await tool.apply(project);
      const backend = createPostgresBackend({ pool: project.pool });
      await backend.migrate();
      await backend.close();
    });
  const partsOf = async ({ pool }: { readonly pool: Pool }): Promise<unknown> =>
    (await pool.query(COUNT_PARTS)).rows[0].parts;
  function replaceIn({ folder }: Project, name: string, from: string, to: string): void {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  }

  describe("Drizzle", () => {
    const project = useTool("drizzle");

    it("is not in a generated migration", async () => {
      expect(await project().run("drizzle-kit", "check")).toContain("Everything's fine");
      expect(await project().run("drizzle-kit", "generate")).toContain("No schema changes");
    });

    it("survives a push", async () => {
      const parts = await partsOf(project());
      expect(await project().run("drizzle-kit", "push")).toContain("No changes detected");
      const id = `text("id").primaryKey()`;
      replaceIn(project(), "schema.ts", id, `${id}, note: text("note")`);
      expect(await project().run("drizzle-kit", "push")).toContain("Changes applied");
      expect(await partsOf(project())).toBe(parts);
    });
  });

  describe("Prisma", () => {
    const project = useTool("prisma");

    it("is no difference", async () => {
      const targets = ["--from-config-datasource", "--to-schema", "prisma/schema.prisma"];
      const shown = await project().run("prisma", "migrate", "diff", ...targets, "--exit-code");
      expect(shown).toContain("No difference detected");
    });

    it("is not in a new migration of `migrate dev`, which does not want to reset the database", async () => {
      const parts = await partsOf(project());
      replaceIn(project(), "prisma/schema.prisma", "paid Boolean", "paid Boolean\n  note String?");
      // The command insists on a terminal, outside of CI.
      const names = ["PATH", "DATABASE_URL", "PRISMA_SCHEMA_ENGINE_BINARY"];
      const variables = names.map((name) => `${name}="$${name}"`).join(" ");
      const command = `env -i TERM=xterm ${variables} node_modules/.bin/prisma migrate dev --name note`;
      expect(await project().run("script", "-qec", command, "/dev/null")).toContain("now in sync");
      const migrations = join(project().folder, "prisma/migrations");
      const created = readdirSync(migrations).find((name) => name.endsWith("_note"));
      expect(readFileSync(join(migrations, `${created}/migration.sql`), "utf8")).toBe(
        '-- AlterTable\nALTER TABLE "carts" ADD COLUMN     "note" TEXT;\n',
      );
      expect(await partsOf(project())).toBe(parts);
    });

    it("survives `db push`", async () => {
      const parts = await partsOf(project());
      replaceIn(project(), "prisma/schema.prisma", "note String?", "comment String?");
      expect(await project().run("prisma", "db", "push", "--accept-data-loss")).toContain("now in sync");
      expect(await partsOf(project())).toBe(parts);
    });
  });
});
