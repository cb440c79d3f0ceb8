import { createPostgresBackend } from "async-request-reply/postgres";
import type { CreateBackend } from "async-request-reply/testing";
import type { Pool } from "pg";
import { inTurn, takeTimeFromConnections } from "./manual-time.js";
import { openPool, type Server } from "./server.js";

/** So many connections take turns in one history. */
const CONNECTIONS = 3;

/** A schema in which one history after another is simulated: making it takes longer than a history. */
export interface SimulatedSchema {
  readonly name: string;
  /** Empties the schema, and opens a back end on it that goes by the world's clock. */
  create(how: { readonly composed: boolean }): CreateBackend;
  close(): Promise<void>;
}

/** Makes a schema for simulations, and opens its connections. */
export async function openSimulatedSchema(server: Server): Promise<SimulatedSchema> {
  const name = server.newSchema();
  await server.open({ schema: name }).migrate();
  await takeTimeFromConnections((text) => server.pool.query(text), name);
  const options = "-c synchronous_commit=off";
  const pools: Pool[] = Array.from({ length: CONNECTIONS }, () => openPool({ max: 1, options }));
  return {
    name,
    create:
      ({ composed }) =>
      async (clock) => {
        // `truncate` would wait for the disk.
        await server.pool.query(`delete from ${name}.operations`);
        const pool = inTurn(pools, clock);
        const { submissions, ...stores } = createPostgresBackend({ pool, schema: name, migrate: "manual" });
        return composed ? stores : { ...stores, submissions };
      },
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

/** Calls a function with the numbers from `first` on, in all schemas at the same time, until one call fails. */
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
