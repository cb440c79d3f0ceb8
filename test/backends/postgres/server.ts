import { randomBytes } from "node:crypto";
import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const fromEnvironment = process.env.DATABASE_URL !== undefined || process.env.PGHOST !== undefined;

/** How the tests reach Postgres: `DATABASE_URL`, the variables of libpq, or a server of this machine. */
const config: PoolConfig = fromEnvironment
  ? process.env.DATABASE_URL === undefined
    ? {}
    : { connectionString: process.env.DATABASE_URL }
  : { connectionString: "postgres://postgres@127.0.0.1:5432/test" };

/** Opens a pool, which the caller ends. */
export function openPool(options: PoolConfig = {}): Pool {
  return new Pool({ ...config, connectionTimeoutMillis: 5_000, ...options });
}

async function answers(): Promise<boolean> {
  const pool = openPool({ max: 1 });
  try {
    await pool.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await pool.end();
  }
}

/** Declares tests on a real server. Without one they are skipped by name; with `CI` set its absence is a failure. */
export async function describePostgres(name: string, declare: (server: Server) => void): Promise<void> {
  if (!(await answers())) {
    it.skipIf(!process.env.CI)(`${name} (needs Postgres)`, () => {
      expect.unreachable("no Postgres answers: set DATABASE_URL or PGHOST");
    });
    return;
  }
  describe(name, () => {
    const schemas: string[] = [];
    const server: Server = {
      pool: undefined as unknown as Pool,
      newSchema: () => {
        const schema = `test_${randomBytes(8).toString("hex")}`;
        schemas.push(schema);
        return schema;
      },
      open: (options = {}) => {
        const { schema = server.newSchema(), ...rest } = options;
        return { ...createPostgresBackend({ pool: server.pool, schema, ...rest }), schema };
      },
    };
    beforeAll(() => {
      // Nothing here needs what survives a power cut, and waiting for the disk is most of the time of many tests.
      server.pool = openPool({ max: 20, options: "-c synchronous_commit=off" });
    });
    afterAll(async () => {
      for (const schema of schemas) await server.pool.query(`drop schema if exists "${schema}" cascade`);
      await server.pool.end();
    });
    declare(server);
  });
}

export type Opened = PostgresBackend<PoolClient> & { readonly schema: string };

/** What the tests of one file share. */
export interface Server {
  pool: Pool;
  /** A name of its own, dropped at the end. */
  newSchema(): string;
  /** A back end in a schema of its own. */
  open(options?: Partial<PostgresBackendOptions<PoolClient>>): Opened;
}
