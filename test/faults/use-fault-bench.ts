import { describe } from "vitest";
import { useOpen } from "../servers/use-open.js";
import {
  describeWithPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import type { PrivatePostgresOptions } from "../support/postgres/private-postgres.js";
import { type FaultBench, openFaultBench } from "./fault-bench.js";
import type { OrderBench } from "./order-bench.js";
import { openSqliteBench, type SqliteBench, type SqliteBenchOptions } from "./sqlite-bench.js";

type PostgresOptions = Omit<PrivatePostgresOptions, "installation">;

/** Opens a bench on Postgres before the tests of a group and closes it after them. */
export function useFaultBench(
  installation: PostgresInstallation,
  options: PostgresOptions = {},
): () => FaultBench {
  return useOpen(
    () => openFaultBench(installation, options),
    (bench) => bench.close(),
  );
}

/** Opens a bench on an SQLite file before the tests of a group and closes it after them. */
export function useSqliteBench(options: SqliteBenchOptions = {}): () => SqliteBench {
  return useOpen(
    () => openSqliteBench(options),
    (bench) => bench.close(),
  );
}

/** Store of a bench. */
export type StoreName = "Postgres" | "SQLite";

/** Declares the same tests on Postgres and on an SQLite file. Without Postgres, its tests are skipped. */
export function describeOnEachStore(
  title: string,
  declare: (bench: () => OrderBench, store: StoreName) => void,
  options: PostgresOptions = {},
): void {
  describeWithPostgres(`${title}, on Postgres`, (installation) =>
    declare(useFaultBench(installation, options), "Postgres"),
  );
  describe(`${title}, on SQLite`, () => declare(useSqliteBench(), "SQLite"));
}
