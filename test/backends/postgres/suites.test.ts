import type { QueryResult } from "pg";
import { beforeAll, expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { type Interceptor, interceptStatements } from "./intercepted-statements.js";
import { runPortSuites } from "./run-port-suites.js";

/** Type of functions that return nothing. Prisma and other clients cannot read it. */
const VOID = 2278;

await describePostgres("the back end on a Postgres server", (server) => {
  const read = new Set<string>();
  const unreadable = new Set<string>();
  const noteTypes: Interceptor = async (statement, run) => {
    const result = await run();
    read.add(statement.name?.replace(/_v\d+_.*/, "") ?? "unnamed");
    // Several statements have several results.
    for (const { fields } of [result].flat() as unknown as readonly QueryResult[])
      if (fields.some(({ dataTypeID }) => dataTypeID === VOID)) unreadable.add(statement.text);
    return result;
  };
  let pool: ReturnType<typeof interceptStatements>;
  beforeAll(() => {
    pool = interceptStatements(server.pool, noteTypes);
  });
  runPortSuites({
    stopped: () => server.openStopped({ pool }),
    running: async (options) => server.open({ pool, ...options }),
  });

  it("returns no value of type void in any of these suites", async () => {
    const backend = server.open({ pool });
    await backend.check();
    expect([...read]).toEqual(
      expect.arrayContaining(["unnamed", "arr_notify_each", "arr_record_alone", "arr_settle", "arr_purge"]),
    );
    expect([...unreadable]).toEqual([]);
    await backend.close();
  });
});
