import type { ListRequest } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { callAll, calls, listTwoPages } from "./all-calls.js";
import { newOperation, newToken } from "./submissions.js";

/** A plan that a scan has part in that a setting disables costs at least this, before version 18. */
const DISABLED = 1e10;
const FINISHED = 20_000;

/** Sends the plan of every statement that runs, those within functions too. */
const EXPLAIN = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": 0,
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
};

interface Node {
  readonly "Total Cost": number;
  readonly "Actual Loops": number;
  readonly "Index Cond"?: string;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Node[];
}

interface Explained {
  readonly "Query Text": string;
  readonly Plan: Node;
  readonly JIT?: object;
}

/** Returns whether a plan compares each row of a batch with the whole batch. */
function comparesAll({ Plans = [], ...node }: Node): boolean {
  const comparesBatch = node["Actual Loops"] > 1 && node["Index Cond"]?.includes("ANY ($") === true;
  return comparesBatch || (node["Rows Removed by Join Filter"] ?? 0) > 0 || Plans.some(comparesAll);
}

const LISTS: Readonly<Record<string, Omit<ListRequest, "limit" | "after">>> = {
  "of a tenant": { tenant: "s1" },
  "of a tenant without operations": { tenant: "nobody" },
  "of a tenant and a definition": { tenant: "s1", definition: "reports" },
  "of completed operations of a tenant": { tenant: "s1", state: "completed" },
  "of failed operations of a tenant": { tenant: "s1", state: "failed" },
  "of pending operations": { state: "pending" },
  "of pending operations of a tenant": { tenant: "s1", state: "pending" },
  "of everything": {},
  "of a definition, with internal operations": { definition: "orders", internal: true },
  "of a time": { createdFrom: Date.now() - FINISHED * 500 },
};

await describePostgres("plans of a back end on Postgres, with the server's defaults", (server) => {
  let pool: Pool;
  let backend: PostgresBackend<PoolClient>;
  const explained: Explained[] = [];

  beforeAll(async () => {
    const schema = server.newSchema();
    const options = Object.entries(EXPLAIN).map(([name, value]) => `-c ${name}=${value}`);
    pool = openPool({ max: 1, options: options.join(" ") });
    pool.on("connect", (client) =>
      client.on("notice", ({ message = "" }) => {
        const json = message.indexOf("{");
        if (message.includes("plan:")) explained.push(JSON.parse(message.slice(json)) as Explained);
      }),
    );
    backend = createPostgresBackend({ pool, schema, listen: false, pollIntervalMs: 1 });
    await backend.migrate();
    await server.pool.query(`
      insert into ${schema}.operations (id, tenant, definition, key, bound, fingerprint, state, input, retention_ms, created_at,
          settled_at, expires_at)
        select gen_random_uuid(), 's' || n % 100, case when n % 2 = 0 then 'orders' else 'reports' end, 'k' || n, true, '1:a',
          case when n % 50 in (0, 1) then 'failed' else 'completed' end, '{}', 60000, now() - n * interval '1 s', now(),
          now() + interval '1 day'
        from generate_series(1, ${FINISHED}) n;
      insert into ${schema}.operations (id, tenant, definition, state, input, retention_ms, created_at, due_at)
        select gen_random_uuid(), 's' || n % 100, 'orders', 'pending', '{}', 60000, now() - n * interval '1 s',
          now() + n * interval '1 s'
        from generate_series(1, 1000) n;
      analyze ${schema}.operations;`);
  });
  afterAll(() => pool.end());

  /** Returns the texts of statements that were compiled, or that could be answered only by a scan that is disabled. */
  async function expensive(call: () => Promise<unknown>): Promise<readonly string[]> {
    explained.length = 0;
    await call();
    // Otherwise nothing was looked at.
    expect(explained.length).toBeGreaterThan(0);
    const found = explained.filter(({ Plan, JIT }) => JIT !== undefined || Plan["Total Cost"] >= DISABLED);
    return [...new Set(found.map((plan) => plan["Query Text"]))];
  }

  it.each([
    ...Object.entries(LISTS).map(
      ([name, list]) => [`no list ${name}`, () => listTwoPages(backend, list)] as const,
    ),
    ...Object.entries(calls).map(([name, call]) => [`nothing for ${name}`, () => call(backend)] as const),
  ])("compiles %s, and disables no scan that it needs", async (_, call) => {
    expect(await expensive(call)).toEqual([]);
  });

  it("compares no row of a batch with the whole batch", async () => {
    const batch = { definition: "batch" };
    await Promise.all(Array.from({ length: 20 }, () => backend.operations.create(newOperation(batch))));
    const token = newToken();
    const begun = await claimOnce(backend, { definitions: ["batch"], limit: 20, token });
    const leases = begun.map(({ id }) => ({ operationId: id, token }));
    explained.length = 0;
    await backend.output.append(leases.map((lease) => ({ lease, from: 0, chunks: ["1"], bytes: 1 })));
    await Promise.all(leases.map((lease) => backend.operations.settle(lease, { to: "completed" })));
    expect(explained.filter(({ Plan }) => comparesAll(Plan)).map((plan) => plan["Query Text"])).toEqual([]);
  });

  it("compiles nothing with plans for any parameters, and disables no scan that they need", async () => {
    expect(await expensive(() => callAll(backend))).toEqual([]);
  });
});
