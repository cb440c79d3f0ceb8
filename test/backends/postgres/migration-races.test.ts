import { postgresMigrations } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { describe, expect, it, vi } from "vitest";
import { describePostgres, type Opened, openPool } from "../../support/postgres/server.js";
import { newId, newOperation, newSubmission } from "./submissions.js";
import { openTestPool } from "./test-pool.js";
import { endingWith, inTransaction } from "./user-transaction.js";

/** A way in which a process first needs the schema. */
type Way = (backend: Opened, pool: Pool) => Promise<unknown>;

const byItself: Readonly<Record<string, Way>> = {
  "migrate()": ({ migrate }) => migrate(),
  "its first call": ({ operations }) => operations.get(newId(), "a"),
};
const byTheUser: Readonly<Record<string, Way>> = {
  "the printed SQL": async ({ schema }, pool) => {
    for (const text of postgresMigrations(schema)) await pool.query(text);
  },
  "recording in an open transaction": ({ submissions }, pool) =>
    endingWith("commit", pool, async (tx) => {
      await tx.query("select 1");
      const recorded = submissions.transactions?.recordIn(tx, newSubmission());
      expect(await recorded).toEqual({ outcome: "created" });
    }),
};

const all = { ...byItself, ...byTheUser };

const settings = [
  ["READ COMMITTED", "default_transaction_isolation=read\\ committed", all, 0],
  ["REPEATABLE READ", "default_transaction_isolation=repeatable\\ read", all, 0],
  ["SERIALIZABLE", "default_transaction_isolation=serializable", all, 0],
  ["a short lock_timeout", "lock_timeout=1ms", all, 20],
  ["a short statement_timeout", "statement_timeout=300ms", byItself, 400],
] as const;

await describePostgres("a process whose connection hangs in a migration", (server) => {
  it("delays no other process once the schema exists", async () => {
    const schema = server.newSchema();
    await server.open({ schema }).migrate();
    await inTransaction(server.pool, async (hanging) => {
      for (const text of postgresMigrations(schema)) await hanging.query(text);
      await server.open({ schema }).migrate();
      expect(await server.open({ schema }).operations.get(newId(), "a")).toBeUndefined();
    });
  });

  it("is ended by the server after idleTransactionTimeoutMs, and another process migrates", async () => {
    const schema = server.newSchema();
    const pool = openPool({ max: 1 });
    const ended = new Promise((resolve) => pool.on("error", resolve));
    let hangs = false;
    // Like a network that drops the COMMIT: it is neither sent nor answered.
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (statement: { readonly text: string }) => unknown;
      const swallow = new Promise(() => {});
      client.on("error", (error) => pool.emit("error", error, client));
      Object.assign(client, {
        query: (statement: { readonly text: string }) => {
          if (statement.text !== "commit") return query(statement);
          hangs = true;
          return swallow;
        },
      });
    });
    void server
      .open({ schema, pool, listen: false, idleTransactionTimeoutMs: 300 })
      .migrate()
      .catch(() => {});
    await vi.waitUntil(() => hangs);
    await server.open({ schema }).migrate();
    expect(await ended).toMatchObject({ code: "25P03" });
    expect(await server.open({ schema }).operations.get(newId(), "a")).toBeUndefined();
  });
});

/** Calls that return whole rows of the table. */
const readers: Readonly<Record<string, (backend: Opened, id: string) => Promise<unknown>>> = {
  get: ({ operations }, id) => operations.get(id, "a"),
  getMany: ({ operations }, id) => operations.getMany([id]),
  inspect: ({ operations }, id) => operations.inspect?.({ id }) ?? Promise.resolve(),
  list: ({ operations }) => operations.list({ limit: 10 }),
};

await describePostgres("a call that runs while the next release adds a column", (server) => {
  it.each(Object.entries(readers))("returns what it reads: %s", async (_name, read) => {
    // Its only connection knows the columns from an earlier call.
    const backend = server.openOwn({ pool: openTestPool({ max: 1 }), listen: false });
    await read(backend, newId());
    const operation = newOperation();
    await backend.operations.create(operation);
    const waiting = "select from pg_stat_activity where wait_event = 'relation'";
    const { reading } = await endingWith("commit", server.pool, async (next) => {
      await next.query(`alter table ${backend.schema}.operations add column new text`);
      const reading = Promise.allSettled([read(backend, operation.id)]);
      await vi.waitUntil(async () => (await server.pool.query(waiting)).rowCount === 1);
      return { reading };
    });
    expect(JSON.stringify(await reading)).toContain(operation.id);
  });
});

await describePostgres("while another process migrates, a process with", (server) => {
  describe.each(settings)("%s", (_, setting, ways, waitMs) => {
    it.each(Object.entries(ways))("waits for the schema in %s", async (_name, need) => {
      const schema = server.newSchema();
      const pools = Array.from({ length: 4 }, () => openTestPool({ max: 2, options: `-c ${setting}` }));
      const waiting = `select from pg_stat_activity where wait_event = 'advisory'
        and query like '%migrations of ${schema}%' and clock_timestamp() > query_start + interval '${waitMs} ms'`;
      const { needed } = await endingWith("commit", server.pool, async (first) => {
        for (const text of postgresMigrations(schema)) await first.query(text);
        const others = pools.map((pool) => need(server.open({ schema, pool, listen: false }), pool));
        const needed = Promise.allSettled(others);
        await vi.waitUntil(async () => (await server.pool.query(waiting)).rowCount === pools.length);
        return { needed };
      });
      for (const each of await needed) expect(each).toMatchObject({ status: "fulfilled" });
      const { rows } = await server.pool.query(`select version from ${schema}.migrations order by version`);
      expect(rows).toEqual(postgresMigrations(schema).map((_text, index) => ({ version: index + 1 })));
    });
  });
});
