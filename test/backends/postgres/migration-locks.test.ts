import { type PostgresBackendOptions, postgresMigrations } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { newId, newSubmission } from "./submissions.js";
import { endingWith, inTransaction } from "./user-transaction.js";

/** Longest time of a call, also on a slow machine. Milliseconds. */
const ANSWERED_MS = 5_000;

await describePostgres("a migration whose table another transaction uses", (server) => {
  /** A schema of the first version, which calls of the previous release use. */
  async function openFirst() {
    const backend = server.openOwn({ migrate: "manual" });
    const [first = ""] = postgresMigrations(backend.schema);
    await server.pool.query(first);
    /** Whether a migration waits for the table, and all calls wait behind it. */
    const isWaiting = async (): Promise<boolean> => {
      const text = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
        and relation = '${backend.schema}.operations'::regclass`;
      return (await server.pool.query(text)).rowCount === 1;
    };
    const versions = async (): Promise<number> =>
      (await server.pool.query(`select from ${backend.schema}.migrations`)).rowCount ?? 0;
    return { backend, isWaiting, versions };
  }

  const useTable = (tx: PoolClient, schema: string) => tx.query(`select from ${schema}.operations limit 1`);

  /** A pool whose migrations give up after two seconds. */
  function impatient(): PostgresBackendOptions<PoolClient>["pool"] {
    return interceptStatements(server.pool, (statement, run) => {
      Object.assign(statement, { text: statement.text.replace("interval '2 minutes'", "interval '2 s'") });
      return run();
    });
  }

  it.each([
    ["migrate()", (schema: string) => server.open({ schema }).migrate()],
    [
      "the printed SQL",
      async (schema: string) => {
        for (const text of postgresMigrations(schema, { after: 1 })) await server.pool.query(text);
      },
    ],
  ])("waits a short time, lets calls pass and tries again: %s", async (_, migrate) => {
    const { backend, isWaiting, versions } = await openFirst();
    let calling = true;
    const durations: number[] = [];
    /** Submits, and repeats the submission until it is accepted, as clients do. */
    const submit = async (): Promise<void> => {
      const submission = newSubmission();
      for (;;) {
        const recorded = await backend.submissions.record(submission).catch((error: Error) => error);
        if ("outcome" in recorded) return;
        expect(recorded.message).toBe(
          `STORE_UNAVAILABLE: Another transaction has locked the tables of schema ${backend.schema}, such as a migration. Wait ` +
            "until it has ended.",
        );
      }
    };
    const call = async (): Promise<void> => {
      while (calling) {
        const start = performance.now();
        await submit();
        expect(await backend.operations.get(newId(), "a")).toBeUndefined();
        durations.push(performance.now() - start);
      }
    };
    const { calls, migrated } = await endingWith("commit", server.pool, async (user) => {
      await useTable(user, backend.schema);
      const calls = Promise.allSettled([call(), call()]);
      const migrated = Promise.allSettled([migrate(backend.schema)]);
      for (const wanted of [true, false, true, false, true, false])
        await vi.waitUntil(async () => (await isWaiting()) === wanted, { interval: 5 });
      return { calls, migrated };
    });
    expect(await migrated).toEqual([{ status: "fulfilled", value: undefined }]);
    calling = false;
    expect(await calls).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
    expect(Math.max(...durations)).toBeLessThan(ANSWERED_MS);
    expect(await versions()).toBe(postgresMigrations().length);
  });

  it("waits for a vacuum without holding calls up", async () => {
    const { backend, versions } = await openFirst();
    const { schema } = backend;
    const { migrated } = await endingWith("commit", server.pool, async (vacuum) => {
      // The lock of a vacuum.
      await vacuum.query(`lock table ${schema}.operations in share update exclusive mode`);
      const migrated = server.open({ schema }).migrate();
      const waiting = `select from pg_locks where not granted and relation = '${schema}.operations'::regclass`;
      await vi.waitUntil(async () => (await server.pool.query(waiting)).rowCount === 1);
      expect(await backend.submissions.record(newSubmission())).toEqual({ outcome: "created" });
      expect((await server.pool.query(waiting)).rowCount).toBe(1);
      return { migrated };
    });
    await migrated;
    expect(await versions()).toBe(postgresMigrations().length);
  });

  it("gives up after a while, names the transaction to end, and has changed nothing", async () => {
    const { backend, versions } = await openFirst();
    const { schema } = backend;
    const migrating = server.open({ schema, pool: impatient(), listen: false });
    await inTransaction(server.pool, async (user) => {
      const { rows } = await user.query("select pg_backend_pid() as pid");
      await useTable(user, schema);
      await expect(migrating.migrate()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message:
          `STORE_UNAVAILABLE: Schema ${schema} was not upgraded, because other transactions have used its tables for 2 minutes. ` +
          "Nothing has changed. End these transactions, and migrate again. The oldest is open in the server process " +
          `${rows[0]?.pid}: \`select pg_terminate_backend(${rows[0]?.pid})\` ends it.`,
      });
      expect(await versions()).toBe(1);
    });
    await migrating.migrate();
    expect(await versions()).toBe(postgresMigrations().length);
  });
});
