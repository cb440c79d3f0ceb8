import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { newSubmission } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

const submission = () => newSubmission({ key: "k" });

await describePostgres("the back end with a default isolation level of", (server) => {
  describe.each(["REPEATABLE READ", "SERIALIZABLE"])("%s", (level) => {
    let pool: Pool;
    beforeAll(() => {
      const isolation = `default_transaction_isolation=${level.toLowerCase().replace(" ", "\\ ")}`;
      pool = openPool({ max: 20, options: `-c synchronous_commit=off -c ${isolation}` });
    });
    afterAll(() => pool.end());

    it("cancels an operation whose row another transaction changes before every try", async () => {
      const { schema, migrate } = server.open();
      await migrate();
      const isBlocked = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%"${schema}".cancel_v1%'`;
      let tries = 0;
      const contended = interceptStatements(pool, async ({ text }, run) => {
        if (!/^select .*cancel_v1\(/.test(text)) return run();
        tries += 1;
        return inTransaction(server.pool, async (rival) => {
          await rival.query(`update ${schema}.operations set progress = progress`);
          const running = run();
          running.catch(() => {}); // may reject while the commit is still being answered
          await vi.waitUntil(async () => (await server.pool.query(isBlocked)).rowCount === 1);
          await rival.query("commit");
          return await running;
        });
      });
      const { operations, submissions } = createPostgresBackend({ pool: contended, schema });
      const { operation } = submission();
      await submissions.record({ operation, fingerprint: "1:a" });
      expect(await operations.requestCancel(operation.id, "a")).toBe("cancelled");
      expect(tries).toBe(2);
    });

    it("returns the operation that was committed while the creation began", async () => {
      const first = submission();
      const schema = server.newSchema();
      const other = server.open({ schema });
      await other.migrate();
      const overtaken = interceptStatements(pool, async ({ text }, run) => {
        const result = await run();
        // From here on the transaction of the creation uses the current snapshot of the database.
        if (/^select .*lock_key_v1\(/.test(text)) await other.submissions.record(first);
        return result;
      });
      const { submissions } = createPostgresBackend({ pool: overtaken, schema });
      let created = 0;
      const result = submissions.transactions?.record(submission(), async () => `${++created}`);
      expect(await result).toMatchObject({ outcome: "exists", operation: { id: first.operation.id } });
      expect(created).toBe(0);
    });

    it("asks the caller to restart its transaction if the operation of the key is not visible to it", async () => {
      const { submissions, schema, migrate } = server.open();
      await migrate();
      const { submissions: own } = createPostgresBackend({ pool, schema, migrate: "manual" });
      const first = submission();
      await inTransaction(pool, async (tx) => {
        await tx.query("select 1");
        await submissions.record(first);
        await expect(own.transactions?.recordIn(tx, submission())).rejects.toMatchObject({
          code: "STORE_UNAVAILABLE",
          cause: { code: "40001" },
        });
        await tx.query("rollback");
        await tx.query("begin");
        expect(await own.transactions?.recordIn(tx, submission())).toMatchObject({
          outcome: "exists",
          operation: { id: first.operation.id },
        });
      });
    });
  });
});
