import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";
import { useOpen } from "../../servers/use-open.js";
import { createDatabase } from "../database.js";
import type { Project } from "./tools.js";

const INSTALLED = join(import.meta.dirname, "../node_modules");
const start = promisify(execFile);

/** A project with its own database. */
interface ProjectWithDatabase extends Project {
  readonly pool: Pool;
  remove(): Promise<void>;
}

/** Creates a project before the tests of a `describe` block, and removes it afterwards. */
export function useProject(
  server: { readonly pool: Pool },
  setUp: (project: ProjectWithDatabase) => Promise<void>,
): () => ProjectWithDatabase {
  const open = async (): Promise<ProjectWithDatabase> => {
    const project = await createProject(server.pool);
    await setUp(project);
    return project;
  };
  return useOpen(open, (project) => project.remove());
}

/** Creates an empty project with the libraries of `test/orms`, and an empty database. */
async function createProject(server: Pool): Promise<ProjectWithDatabase> {
  const database = await createDatabase(server);
  const { url } = database;
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  symlinkSync(INSTALLED, join(folder, "node_modules"));
  const { hostname: PGHOST, port: PGPORT, username: PGUSER, password: PGPASSWORD } = url;
  const env = {
    ...process.env,
    DATABASE_URL: url.href,
    ...{ PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE: database.name },
    PRISMA_SCHEMA_ENGINE_BINARY: join(import.meta.dirname, "../schema-engine.mjs"),
  };
  return {
    folder,
    pool: database.pool,
    run: async (program, ...args) => {
      const installed = join(INSTALLED, ".bin", program);
      const file = existsSync(installed) ? installed : program;
      const { stdout, stderr } = await start(file, args, { cwd: folder, env });
      return stdout + stderr;
    },
    remove: async () => {
      await database.remove();
      rmSync(folder, { recursive: true });
    },
  };
}
