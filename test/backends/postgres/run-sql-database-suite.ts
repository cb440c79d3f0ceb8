import type { RunStatement, SqlDatabase } from "async-request-reply/postgres";
import { beforeAll, describe, expect, it } from "vitest";
import type { Server } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";

/** A database to test. */
interface Stage<Tx> {
  readonly database: SqlDatabase<Tx>;
  /** Runs statements on another connection, if there is one. */
  readonly elsewhere: RunStatement;
  /** Runs a statement of the user, with the methods of `tx` itself. */
  readonly asUser: (tx: Tx, text: string) => PromiseLike<unknown>;
  /** Whether a transaction can be interrupted while the server runs a statement. */
  readonly interruptible: boolean;
}

/** Runs statements on another connection of the test server. */
export function elsewhere(server: Pick<Server, "pool">): RunStatement {
  return ({ text, values }) => server.pool.query(text, values);
}

/** Declares what every {@link SqlDatabase} has to keep, as tests. */
export function runSqlDatabaseSuite<Tx>(open: () => Promise<Stage<Tx>>): void {
  describe("SqlDatabase", () => {
    let stage: Stage<Tx>;
    beforeAll(async () => {
      stage = await open();
    });

    /** Creates a table that the test drops. */
    async function inTable(run: (table: string) => Promise<void>) {
      const table = `suite_${Math.random().toString(36).slice(2)}`;
      await stage.elsewhere({ text: `create table ${table} (n int)` });
      await run(table).finally(() =>
        stage.elsewhere({ text: `set local lock_timeout = '10s'; drop table ${table}` }),
      );
    }
    const rowsOf = async (table: string) =>
      (await stage.elsewhere({ text: `select n from ${table}`, values: [] })).rows.length;

    it("returns rows as objects, and reads every kind of parameter", async () => {
      const statement = {
        name: "suite_parameters",
        text: "select $1::text as a, $2::text[] as b, $3::float8[] as c, $4::boolean[] as d, $5::boolean as e, $6::integer as f",
        values: ["x", ["", 'a"b,{}'], [1, 2.5], [true, false], true, null],
      };
      const expected = { a: "x", b: ["", 'a"b,{}'], c: [1, 2.5], d: [true, false], e: true, f: null };
      for (const _ of [1, 2]) expect((await stage.database.query(statement)).rows).toEqual([expected]);
    });

    it("runs several statements if there are no values", () =>
      inTable(async (table) => {
        await stage.database.query({
          text: `insert into ${table} values (1); insert into ${table} values (2)`,
        });
        expect(await rowsOf(table)).toBe(2);
      }));

    it("commits a transaction and returns the result of its function", () =>
      inTable(async (table) => {
        const result = await stage.database.transaction(async (tx) => {
          await stage.database.queryIn(tx)({ text: `insert into ${table} values ($1)`, values: [1] });
          return ["a", "list"];
        });
        expect(result).toEqual(["a", "list"]);
        expect(await rowsOf(table)).toBe(1);
      }));

    it("rolls back a transaction whose function throws, and rethrows the same error", () =>
      inTable(async (table) => {
        const thrown = new Error("no");
        const running = stage.database.transaction(async (tx) => {
          await stage.database.queryIn(tx)({ text: `insert into ${table} values (1)` });
          throw thrown;
        });
        await expect(running).rejects.toBe(thrown);
        expect(await rowsOf(table)).toBe(0);
      }));

    it("rejects with the error of the database, with its code", async () => {
      const code = "42P01";
      const text = "select * from does_not_exist";
      await expect(stage.database.query({ text, values: [] })).rejects.toMatchObject({ code });
      const running = stage.database.transaction((tx) => stage.database.queryIn(tx)({ text, values: [] }));
      await expect(running).rejects.toMatchObject({ code });
    });

    it("rolls back at once when the signal is aborted while the function waits", () =>
      inTable(async (table) => {
        const aborter = new AbortController();
        const reason = new Error("too late");
        let tx: Tx | undefined;
        const begun = signalOf();
        const running = stage.database.transaction(async (own) => {
          tx = own;
          await stage.database.queryIn(own)({ text: `insert into ${table} values (1)` });
          begun.resolve();
          await new Promise(() => {});
        }, aborter.signal);
        await begun.promise;
        aborter.abort(reason);
        await expect(running).rejects.toBe(reason);
        const write = async () => tx && stage.asUser(tx, `insert into ${table} values (2)`);
        await expect(write()).rejects.toThrow();
        // An insert that was not rolled back would block this.
        await stage.elsewhere({ text: `set local lock_timeout = '10s'; lock table ${table}` });
        expect(await rowsOf(table)).toBe(0);
      }));

    it("rolls back at once when the signal is aborted while a statement runs", async (context) => {
      context.skip(!stage.interruptible, "this database runs in the process");
      await inTable(async (table) => {
        const aborter = new AbortController();
        const reason = new Error("too late");
        const running = stage.database.transaction(async (tx) => {
          // As in transactions of the back end: the server notices that a connection was closed.
          await stage.asUser(tx, "set local client_connection_check_interval = 1000");
          await stage.asUser(tx, `insert into ${table} values (1)`);
          await stage.asUser(tx, `select pg_sleep(600), '${table}'`);
        }, aborter.signal);
        const outcome = running.then(
          () => "committed",
          (error: unknown) => error,
        );
        const sleeping = {
          text: "select from pg_stat_activity where query like $1 and state = 'active' and pid <> pg_backend_pid()",
          values: [`select pg_sleep(600), '${table}'%`],
        };
        await expect.poll(async () => (await stage.elsewhere(sleeping)).rows.length).toBe(1);
        aborter.abort(reason);
        expect(await outcome).toBe(reason);
        await expect.poll(async () => (await stage.elsewhere(sleeping)).rows.length).toBe(0);
        expect(await rowsOf(table)).toBe(0);
      });
    });

    it("does not begin a transaction whose signal is already aborted, or rolls it back", () =>
      inTable(async (table) => {
        const reason = new Error("too late");
        const running = stage.database.transaction(async (tx) => {
          await stage.asUser(tx, `insert into ${table} values (1)`);
        }, AbortSignal.abort(reason));
        await expect(running).rejects.toBe(reason);
        await stage.elsewhere({ text: `set local lock_timeout = '10s'; lock table ${table}` });
        expect(await rowsOf(table)).toBe(0);
      }));
  });
}
