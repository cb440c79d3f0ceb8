import { randomBytes } from "node:crypto";
import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import { Client, Pool, type PoolClient, type PoolConfig } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { WAIT_MS } from "../patience.js";
import { createSchemaPool } from "./schema-pool.js";
import type { ManualTime } from "./stop-time.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Addresses of a project's own servers, one for each worker of Vitest. Empty if none could be started. */
    postgresUrls: readonly string[];
  }
}

const { DATABASE_URL, PGHOST, VITEST_POOL_ID } = process.env;

/**
 * Returns the server of this worker or this machine: `DATABASE_URL`, the variables of libpq, or the default
 * address.
 */
function configOf(own: string | undefined): PoolConfig {
  if (own !== undefined) return { connectionString: own };
  if (DATABASE_URL !== undefined) return { connectionString: DATABASE_URL };
  return PGHOST === undefined ? { connectionString: "postgres://postgres@127.0.0.1:5432/test" } : {};
}

/** Servers of the project, one for each worker of Vitest. Workers are numbered from 1. */
const owned: readonly string[] | undefined = inject("postgresUrls");
const own = owned && (owned[Number(VITEST_POOL_ID) - 1] ?? "");
const config: PoolConfig = configOf(own);

/** Opens a pool. The caller ends it. */
export function openPool(options: PoolConfig = {}): Pool {
  return new Pool({ ...config, connectionTimeoutMillis: WAIT_MS, ...options });
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

/** Returns the address of the server, with the password. */
export function addressOfServer(): string {
  const { user = "", password = "", host, port, database = "" } = new Client(config);
  return `postgres://${user}:${encodeURIComponent(String(password ?? ""))}@${host}:${port}/${database}`;
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
    /** Schemas of the pool that a test uses, with the number of back ends that are open on them. */
    const borrowed = new Map<string, number>();
    const newSchema = (): string => {
      const schema = `test_${randomBytes(8).toString("hex")}`;
      schemas.push(schema);
      return schema;
    };
    const borrow = (schema: string): string => {
      borrowed.set(schema, 0);
      return schema;
    };
    const count = (schema: string, more: number): void => {
      const open = borrowed.get(schema);
      if (open !== undefined) borrowed.set(schema, open + more);
    };
    const open = (options: OpenOptions & { readonly schema: string }): Opened => {
      const { schema } = options;
      const opened = createPostgresBackend({ pool: server.pool, ...options });
      count(schema, 1);
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> => {
        closing ??= opened.close().then(() => count(schema, -1));
        return closing;
      };
      return { ...opened, schema, close, [Symbol.asyncDispose]: close };
    };
    const server: Server = {
      pool: undefined as unknown as Pool,
      newSchema,
      open: ({ schema = borrow(schemaPool.take()), ...options } = {}) => open({ schema, ...options }),
      openOwn: (options) => open({ schema: newSchema(), ...options }),
      openStopped: async (options) => {
        const { schema, time } = await schemaPool.takeStopped();
        return { ...open({ schema: borrow(schema), ...options }), time };
      },
    };
    const schemaPool = createSchemaPool({
      execute: (text) => server.pool.query(text),
      query: (text) => server.pool.query(text),
      newSchema,
      migrate: (schema) => open({ schema }).migrate(),
    });
    beforeAll(() => {
      // These tests do not have to survive a power cut, and many of them would spend most of their time waiting for
      // the disk.
      server.pool = openPool({ max: 20, options: "-c synchronous_commit=off" });
    });
    afterEach(async () => {
      for (const [schema, open] of borrowed) {
        if (open > 0) continue;
        borrowed.delete(schema);
        await schemaPool.release(schema);
      }
    });
    afterAll(async () => {
      await schemaPool.verify();
      // A server of the tests is removed as a whole.
      if (own === undefined)
        for (const schema of schemas) await server.pool.query(`drop schema if exists "${schema}" cascade`);
      await server.pool.end();
    });
    declare(server);
  });
}

export type Opened = PostgresBackend<PoolClient> & { readonly schema: string };
/** A back end whose time only a test advances. */
type Stopped = Opened & { readonly time: ManualTime };
type OpenOptions = Partial<PostgresBackendOptions<PoolClient>>;

/** Resources that the tests of one file share. */
export interface Server {
  pool: Pool;
  /** Returns a new schema name. The schema is dropped at the end. */
  newSchema(): string;
  /**
   * Opens a back end in the given schema, or in an empty one. When all back ends of a test are closed, its schema is
   * emptied and used again. A test that changes its schema, or that depends on its size or its statistics, needs
   * `openOwn`.
   */
  open(options?: OpenOptions): Opened;
  /** Opens a back end in a new schema. */
  openOwn(options?: OpenOptions): Opened;
  /** Opens a back end in an empty schema whose time stands still. */
  openStopped(options?: OpenOptions): Promise<Stopped>;
}
