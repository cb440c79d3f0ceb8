import { afterAll, beforeAll } from "vitest";
import type { PostgresInstallation } from "../servers/postgres-installation.js";
import type { PrivatePostgresOptions } from "../servers/private-postgres.js";
import { type FaultBench, openFaultBench } from "./fault-bench.js";

/** Opens a bench before the tests of a group and closes it after them. */
export function useFaultBench(
  installation: PostgresInstallation,
  options: Omit<PrivatePostgresOptions, "installation"> = {},
): () => FaultBench {
  let bench: FaultBench | undefined;
  beforeAll(async () => {
    bench = await openFaultBench(installation, options);
  });
  afterAll(() => bench?.close());
  return () => {
    if (bench === undefined) throw new Error("the bench is only open while tests run");
    return bench;
  };
}
