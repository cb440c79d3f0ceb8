import { randomBytes } from "node:crypto";
import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import { Client, Pool, type PoolClient, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

const { DATABASE_URL, PGHOST } = process.env;

/**
 * Returns the server of this project or this machine: `DATABASE_URL`, the variables of libpq, or the default
 * address.
 */
function configOf(own: string | undefined): PoolConfig {
  if (own !== undefined) return { connectionString: own };
  if (DATABASE_URL !== undefined) return { connectionString: DATABASE_URL };
  return PGHOST === undefined ? { connectionString: "postgres://postgres@127.0.0.1:5432/test" } : {};
}

const own: string | undefined = inject("postgresUrl");
const config: PoolConfig = configOf(own);

/** Opens a pool. The caller ends it. */
export function openPool(options: PoolConfig = {}): Pool {
  return new Pool({ ...config, connectionTimeoutMillis: 5_000, ...options });
}

/** Opens a pool through a proxy on this machine. */
export function openPoolAt(port: number, options: PoolConfig = {}): Pool {
  const { user, password, database } = new Client(config);
  const target = { host: "127.0.0.1", port, user, password, database };
  return openPool({ connectionString: undefined, ...target, ...options } as PoolConfig);
}

/** Returns the port of the server. */
export function portOfServer(): number {
  return new Client(config).port;
}

/** Returns the version of the test server, or undefined if no server answers. */
async function versionOfServer(): Promise<string | undefined> {
  if (own === "") return undefined;
  const pool = openPool({ max: 1 });
  try {
    const { rows } = await pool.query<{ version: string }>(
      "select substring(version() from '\\w+ [\\d.]+') as version",
    );
    return rows[0]?.version;
  } catch {
    return undefined;
  } finally {
    await pool.end();
  }
}

/**
 * Declares tests on a real server. Without a server they are skipped by name. With `CI` set, a missing server is a
 * failure.
 */
export async function describePostgres(name: string, declare: (server: Server) => void): Promise<void> {
  const version = await versionOfServer();
  if (version === undefined) {
    it.skipIf(!process.env.CI)(`${name} (needs Postgres)`, () => {
      expect.unreachable(
        own === undefined
          ? "no Postgres answers: set DATABASE_URL or PGHOST"
          : "Postgres is missing: npm ci --prefix test/servers",
      );
    });
    return;
  }
  describe(`${name} (${version})`, () => {
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
      // These tests do not have to survive a power cut, and many of them would spend most of their time waiting for
      // the disk.
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

/** Resources that the tests of one file share. */
export interface Server {
  pool: Pool;
  /** Returns a new schema name. The schema is dropped at the end. */
  newSchema(): string;
  /** Opens a back end in a new schema. */
  open(options?: Partial<PostgresBackendOptions<PoolClient>>): Opened;
}
