import { type Backend, createMemoryBackend } from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { v7 } from "uuid";
import { expect, it, onTestFinished } from "vitest";
import { claimOne } from "../support/claims.js";
import { effort } from "../support/effort.js";
import { exportsOf, importsOf } from "../support/operator/stage.js";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";

/** More than 10,000 failures of each definition, which is as far as the counts go. */
const COUNT = effort(600_000, 600_000, 1_000_000);
const TIMEOUT_MS = 600_000;

/** Loads the page, the statistics and the first page of the list. Returns how long it takes. Milliseconds. */
async function open(backend: Backend): Promise<number> {
  const operator = createOperator({ backend, definitions: [exportsOf, importsOf], observe: false });
  const page = createConsole({ operator, authorize: () => "observe", observe: false });
  const startedAt = performance.now();
  for (const path of ["/", "/api/overview", "/api/operations?status=failed"]) {
    const { status, body } = await page.handle({ method: "GET", path, headers: {} });
    expect(status).toBe(200);
    if (path === "/api/overview") expect(body).toContain('"failed":{"count":10000,"more":true}');
  }
  return performance.now() - startedAt;
}

function print(store: string, ms: number): void {
  console.log(`the console among ${COUNT} operations ${store}: ${Math.round(ms)} ms`);
}

/** Finished operations, of which one in 50 failed. Half of each belong to either definition. */
const FILL = `insert into arr_operations (id, tenant, definition, state, hidden, attempt, lease_ends_at, due_at,
    previous_lost, cancel_requested, not_before, was_pending, created_at, settled_at, retention_ms, expires_at, input)
  with recursive n(n) as (select 1 union all select n + 1 from n where n < ${COUNT})
  select printf('%08x-0000-7000-8000-000000000000', n), 's' || n % 100, iif(n % 2 = 0, 'exports', 'imports'),
    iif(n % 50 < 2, 'failed', 'completed'), 0, 1, 0, 0, 0, 0, 0, 1, n, n, 60000, n + 1e13, '{}' from n`;

describeClients(
  "a console on an SQLite file",
  (client) => {
    it("finds everything by index among many operations", { timeout: TIMEOUT_MS }, async () => {
      const file = newDatabaseFile(client);
      onTestFinished(file.remove);
      const database = file.connect();
      const statements = new Set<string>();
      const prepare = (sql: string): ReturnType<typeof database.prepare> => {
        statements.add(sql);
        return database.prepare(sql);
      };
      const backend = createSqliteBackend({ database: { exec: (sql) => database.exec(sql), prepare } });
      onTestFinished(() => backend.close());
      await backend.check();
      database.exec(FILL);
      await open(backend);
      statements.clear();
      print(
        `on SQLite with ${client.name}`,
        await open(createSqliteBackend({ database: { exec: (sql) => database.exec(sql), prepare } })),
      );
      const read = [...statements].filter(
        (sql) => /^\s*(select|with)/i.test(sql) && sql.includes("arr_operations"),
      );
      expect(read.length).toBeGreaterThan(1);
      const steps = read.flatMap((sql) => plan(database, sql));
      expect(
        steps.filter((step) => /^SCAN (arr_operations|o)\b/.test(step) && !step.includes("INDEX")),
      ).toEqual([]);
    });
  },
  ["libsql"],
);

function plan(database: ReturnType<ReturnType<typeof newDatabaseFile>["connect"]>, sql: string): string[] {
  const parameters = Array.from({ length: sql.split("?").length - 1 }, () => 1) as never[];
  const rows = database.prepare(`explain query plan ${sql}`).all(...parameters) as {
    readonly detail: string;
  }[];
  return rows.map(({ detail }) => detail);
}

it("a console finds everything among many operations in memory", { timeout: TIMEOUT_MS }, async () => {
  const backend = createMemoryBackend({ maxOperations: COUNT + 1 });
  onTestFinished(() => backend.close());
  const { operations } = backend;
  const common = { tenant: "a", input: "{}", retentionMs: 3_600_000 };
  for (let index = 0; index < COUNT; index += 1) {
    const definition = index % 2 === 0 ? "exports" : "imports";
    const id = v7();
    if (index % 50 < 2)
      await operations.create({ ...common, id, definition }, { state: "failed", error: "{}" });
    else {
      await operations.create({ ...common, id, definition });
      await claimOne(operations, id, { token: "t", leaseMs: 60_000 });
      await operations.settle({ operationId: id, token: "t" }, { to: "completed" });
    }
  }
  await open(backend);
  const ms = await open(backend);
  print("in memory", ms);
  expect((await operations.list({ limit: 1 })).length).toBe(1);
});
