import { createPostgresBackend } from "async-request-reply/postgres";
import { Client, Pool } from "pg";
import type { PostgresInstallation } from "../support/postgres/postgres-installation.js";
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from "../support/postgres/private-postgres.js";
import { createChecks, type Effect, type OrderBench } from "./order-bench.js";
import { createOrderProcesses } from "./order-processes.js";

/** A private Postgres with the back end's tables and tables of effects, and processes that use it. */
export interface FaultBench extends OrderBench {
  readonly postgres: PrivatePostgres;
}

/** Options of {@link openFaultBench}. */
export interface FaultBenchOptions extends Omit<PrivatePostgresOptions, "installation"> {
  /** Whether the bench creates the back end's tables, and not the first process. Default: true. */
  readonly migrate?: boolean;
}

export async function openFaultBench(
  installation: PostgresInstallation,
  { migrate = true, ...options }: FaultBenchOptions = {},
): Promise<FaultBench> {
  const postgres = await startPrivatePostgres({ installation, ...options });
  const pool = new Pool({ connectionString: postgres.url(), max: 2 });
  // The tests break connections on purpose. Without a listener that would end the test run.
  pool.on("error", () => {});
  const processes = createOrderProcesses();
  const backend = createPostgresBackend({ pool });
  const rowsOf = (table: "ledger" | "effects"): Promise<Effect[]> =>
    postgres.query<Effect>(
      `SELECT operation_id AS "operationId", item_id AS "itemId", attempt FROM ${table}`,
    );

  const bench: FaultBench = {
    postgres,
    start: (process) => processes.start({ url: postgres.url(), ...process }),
    ...createChecks(backend, rowsOf),
    lock: () => lockTables(postgres),
    restartStore: async () => {
      await postgres.stop("fast");
      await postgres.start();
    },
    close: async () => {
      await processes.close();
      await backend.close();
      await pool.end();
      await postgres.remove();
    },
  };
  try {
    if (migrate) await backend.migrate();
    const columns = "item_id text NOT NULL, attempt integer NOT NULL";
    await postgres.query(`CREATE TABLE effects (operation_id uuid NOT NULL, ${columns})`);
    await postgres.query(`CREATE TABLE ledger (operation_id uuid PRIMARY KEY, ${columns})`);
  } catch (error) {
    await bench.close();
    throw error;
  }
  return bench;
}

const DEADLOCK = "40P01";

/** Locks all tables of the back end. */
async function lockTables(postgres: PrivatePostgres): Promise<() => Promise<void>> {
  const tables = await postgres.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename NOT IN ('ledger', 'effects')`,
  );
  const client = new Client({ connectionString: postgres.url() });
  // The server is stopped at the end, even if a test has failed to unlock.
  client.on("error", () => {});
  await client.connect();
  const lock = `LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS EXCLUSIVE MODE`;
  // The tables are locked one after the other. A call that has read one of them can wait for the others, and this for it.
  for (let isLocked = false; !isLocked; ) {
    await client.query("BEGIN");
    isLocked = await client.query(lock).then(
      () => true,
      async (error: { readonly code?: string }) => {
        if (error.code !== DEADLOCK) throw error;
        await client.query("ROLLBACK");
        return false;
      },
    );
  }
  return async () => {
    await client.query("COMMIT");
    await client.end();
  };
}
