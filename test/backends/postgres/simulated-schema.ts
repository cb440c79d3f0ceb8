import { createPostgresBackend, type SqlPool } from "async-request-reply/postgres";
import type { CreateBackend, UserTransactions } from "async-request-reply/testing";
import type { Pool, PoolClient } from "pg";
import { openPool, type Server } from "../../support/postgres/server.js";
import { inTurn, takeTimeFromConnections } from "./manual-time.js";

/** Upper bound of the open transactions of one history. Connections are opened on demand. */
const CONNECTIONS = 16;

/** A schema that simulates one history after another, because creating a schema takes longer than a history. */
export interface SimulatedSchema {
  readonly name: string;
  /** Empties the schema and opens a back end on it that uses the clock of the world, with or without transactions. */
  create(how: { readonly transactional: boolean }): CreateBackend;
  close(): Promise<void>;
}

/** Creates a schema for simulations and opens its connections. */
export async function openSimulatedSchema(server: Server): Promise<SimulatedSchema> {
  const name = server.newSchema();
  await server.open({ schema: name }).migrate();
  await takeTimeFromConnections((text) => server.pool.query(text), name);
  await orderEqualsById(server, name);
  await server.pool.query(`create table ${name}.effects (effect text not null)`);
  const options = "-c synchronous_commit=off";
  const pools: Pool[] = Array.from({ length: CONNECTIONS }, () => openPool({ max: 1, options }));
  return {
    name,
    create:
      ({ transactional }) =>
      async (clock) => {
        // `truncate` would wait for the disk.
        const tables = [
          "operations",
          "output_heads",
          "output_chunks",
          "output_discards",
          "paused",
          "minutes",
          "shortest_leases",
          "effects",
        ];
        await server.pool.query(tables.map((table) => `delete from ${name}.${table}`).join("; "));
        const pool = inTurn(pools, clock);
        const opened = createPostgresBackend({ pool, schema: name, migrate: "manual" });
        // Workers check the store when they start. The world does not wait for that, so a real check would let them
        // start at any time, and no seed would repeat its history.
        const backend = { ...opened, check: async () => {} };
        if (transactional) return { backend, transactions: transactionsOf(pool, server, name) };
        const { transactions: _, ...submissions } = backend.submissions;
        return { ...backend, submissions };
      },
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

/**
 * Lets searches take rows that are due at the same time in the order of their ids. Otherwise they come in the order of their places
 * in the table, which differs from run to run, so a seed would not repeat its history.
 */
async function orderEqualsById({ pool }: Server, schema: string): Promise<void> {
  const { rows } = await pool.query<{ text: string }>(
    `select regexp_replace(pg_get_functiondef(p.oid),
      'order by (o\\.tenant, )?o\\.(due_at|start_by|expires_at|lane_left) limit', 'order by \\1o.\\2, o.id limit', 'g') as text
    from pg_proc p where p.pronamespace = $1::regnamespace and p.prosrc ~ 'order by [^;]* limit'`,
    [schema],
  );
  for (const { text } of rows) await pool.query(text);
}

/** The user's side: transactions on connections of the same pool, and one row per effect. */
function transactionsOf(
  pool: SqlPool<PoolClient>,
  server: Server,
  schema: string,
): UserTransactions<PoolClient> {
  return {
    run: async (work) => {
      const tx = await connectionOf(pool);
      try {
        await tx.query("begin");
        const result = await work(tx);
        await tx.query("commit");
        return result;
      } catch (error) {
        await tx.query("rollback");
        throw error;
      } finally {
        tx.release();
      }
    },
    write: async (tx, effect) => void (await tx.query(`insert into ${schema}.effects values ($1)`, [effect])),
    written: async () => {
      const { rows } = await server.pool.query<{ effect: string }>(`select effect from ${schema}.effects`);
      return rows.map(({ effect }) => effect);
    },
  };
}

function connectionOf(pool: SqlPool<PoolClient>): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
  });
}

/** Calls a function with the numbers from `first` on in all schemas concurrently, until a call fails. */
export async function inAllSchemas(
  schemas: readonly SimulatedSchema[],
  { first, count }: { readonly first: number; readonly count: number },
  run: (seed: number, schema: SimulatedSchema) => Promise<unknown>,
): Promise<void> {
  let next = first;
  const end = first + count;
  const failures: unknown[] = [];
  const runAll = async (schema: SimulatedSchema): Promise<void> => {
    while (next < end && failures.length === 0) {
      const seed = next;
      next += 1;
      await run(seed, schema).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(schemas.map(runAll));
  if (failures.length > 0) throw failures[0];
}
