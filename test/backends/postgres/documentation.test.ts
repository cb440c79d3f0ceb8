import { join } from "node:path";
import type { Client, PoolClient } from "pg";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromPostgresJs } from "../../../examples/postgres-js/from-postgres-js.js";
import { blocksOf, page } from "../../support/pages.js";
import { describePostgres } from "../../support/postgres/server.js";
import { runSubmissionsSuite } from "./run-port-suites.js";
import { elsewhere, runSqlDatabaseSuite } from "./run-sql-database-suite.js";

const manual = page(join("docs", "postgres.md"));

await describePostgres("the page about Postgres", (server) => {
  it("shows valid statements", async () => {
    const { schema, migrate } = server.openOwn();
    await migrate();
    const { rows } = await server.pool.query<{ role: string }>("select quote_ident(current_user) as role");
    const statements = blocksOf(manual, "sql");
    expect(statements.length).toBeGreaterThan(3);
    for (const { text, place } of statements) {
      const own = text.replaceAll("async_request_reply", schema).replaceAll(/\bapp\b/g, rows[0]?.role ?? "");
      await expect(server.pool.query(own), place).resolves.toBeDefined();
    }
  });

  describe("its wrapper for postgres.js", () => {
    let sql: Sql;
    beforeAll(async () => {
      const client = (await server.pool.connect()) as unknown as Client & PoolClient;
      const { host, port, user: username = "", password: pass = "", database = "" } = client;
      client.release();
      sql = postgres({ host, port, username, pass, database, max: 10, onnotice: () => {} });
    });
    afterAll(() => sql.end());

    runSqlDatabaseSuite<TransactionSql>(async () => ({
      database: fromPostgresJs(sql),
      elsewhere: elsewhere(server),
      asUser: (tx, text) => tx.unsafe(text),
      interruptible: true,
    }));

    runSubmissionsSuite({
      stopped: () => server.openStopped({ pool: fromPostgresJs(sql) as never }),
      running: async (options) => server.open({ pool: fromPostgresJs(sql) as never, ...options }),
    });
  });
});
