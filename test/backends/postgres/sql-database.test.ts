import { PGlite } from "@electric-sql/pglite";
import { fromPGlite, fromPool, type PGliteTransaction } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { afterAll, describe } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { elsewhere, runSqlDatabaseSuite } from "./run-sql-database-suite.js";

await describePostgres("fromPool", (server) => {
  runSqlDatabaseSuite<PoolClient>(async () => ({
    database: fromPool<PoolClient>(server.pool),
    elsewhere: elsewhere(server),
    asUser: (tx, text) => tx.query(text),
    interruptible: true,
  }));
});

describe("fromPGlite", () => {
  const pglite = new PGlite();
  afterAll(() => pglite.close());
  const database = fromPGlite(pglite);
  runSqlDatabaseSuite<PGliteTransaction>(async () => ({
    database,
    elsewhere: database.query,
    asUser: (tx, text) => tx.query(text),
    interruptible: false,
  }));
});
