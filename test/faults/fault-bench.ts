import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import type { PostgresInstallation } from "../servers/postgres-installation.js";
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from "../servers/private-postgres.js";
import { createChecks, type Effect, type OrderBench } from "./order-bench.js";
import { createOrderProcesses } from "./order-processes.js";

/** A private Postgres with the back end's tables and tables of effects, and processes that use it. */
export interface FaultBench extends OrderBench {
  readonly postgres: PrivatePostgres;
}

export async function openFaultBench(
  installation: PostgresInstallation,
  options: Omit<PrivatePostgresOptions, "installation"> = {},
): Promise<FaultBench> {
  const postgres = await startPrivatePostgres({ installation, ...options });
  const pool = new Pool({ connectionString: postgres.url(), max: 2 });
  // The tests break connections on purpose. Without a listener that would end the test run.
  pool.on("error", () => {});
  const processes = createOrderProcesses();
  const backend = createPostgresBackend({ pool });
  const rowsOf = (table: "ledger" | "effects"): Promise<Effect[]> =>
    postgres.query<Effect>(`SELECT operation_id AS "operationId", item_id AS "itemId" FROM ${table}`);

  const bench: FaultBench = {
    postgres,
    start: (process) => processes.start({ url: postgres.url(), ...process }),
    ...createChecks(backend, rowsOf),
    close: async () => {
      await processes.close();
      await backend.close();
      await pool.end();
      await postgres.remove();
    },
  };
  try {
    await backend.migrate();
    await postgres.query("CREATE TABLE effects (operation_id uuid NOT NULL, item_id text NOT NULL)");
    await postgres.query("CREATE TABLE ledger (operation_id uuid PRIMARY KEY, item_id text NOT NULL)");
  } catch (error) {
    await bench.close();
    throw error;
  }
  return bench;
}
