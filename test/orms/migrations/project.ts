import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Pool } from "pg";
import { DATABASE_URL } from "../suite.js";
import type { Project } from "./tools.js";

const INSTALLED = join(import.meta.dirname, "../node_modules");
const start = promisify(execFile);

/** A project with its own database. */
export interface ProjectWithDatabase extends Project {
  readonly pool: Pool;
  remove(): Promise<void>;
}

/** Creates an empty project with the libraries of `test/orms`, and an empty database. */
export async function createProject(server: Pool): Promise<ProjectWithDatabase> {
  const database = `orms_${randomBytes(8).toString("hex")}`;
  await server.query(`create database ${database}`);
  const url = new URL(DATABASE_URL);
  url.pathname = `/${database}`;
  const pool = new Pool({ connectionString: url.href });
  // A connection that is being closed can be lost when the database is dropped.
  pool.on("error", () => {});
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  symlinkSync(INSTALLED, join(folder, "node_modules"));
  const { hostname: PGHOST, port: PGPORT, username: PGUSER, password: PGPASSWORD } = url;
  const env = {
    ...process.env,
    DATABASE_URL: url.href,
    ...{ PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE: database },
    PRISMA_SCHEMA_ENGINE_BINARY: join(import.meta.dirname, "../schema-engine.mjs"),
  };
  return {
    folder,
    pool,
    run: async (program, ...args) => {
      const installed = join(INSTALLED, ".bin", program);
      const file = existsSync(installed) ? installed : program;
      const { stdout, stderr } = await start(file, args, { cwd: folder, env });
      return stdout + stderr;
    },
    remove: async () => {
      await pool.end();
      await server.query(`drop database if exists ${database} with (force)`);
      rmSync(folder, { recursive: true });
    },
  };
}
