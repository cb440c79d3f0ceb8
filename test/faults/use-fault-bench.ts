import { afterAll, beforeAll, describe } from "vitest";
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
  return useBench(() => openFaultBench(installation, options));
}

/** Opens a bench on an SQLite file before the tests of a group and closes it after them. */
export function useSqliteBench(options: SqliteBenchOptions = {}): () => SqliteBench {
  return useBench(() => openSqliteBench(options));
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

function useBench<Bench extends OrderBench>(open: () => Bench | Promise<Bench>): () => Bench {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(() => bench?.close());
  return () => {
    if (bench === undefined) throw new Error("the bench is only open while tests run");
    return bench;
  };
}
