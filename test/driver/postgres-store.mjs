import { setTimeout as sleep } from "node:timers/promises";
import { createPostgresBackend } from "async-request-reply/postgres";
import pg from "pg";

/** Opens the back end of a process of the driver on Postgres. */
export function openPostgresStore(url, { listen }) {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000, max: 14 });
  // Without a listener a broken idle connection would end the process.
  pool.on("error", () => {});
  const backend = createPostgresBackend({ pool, listen });
  return {
    backend,
    /** Returns work of a `job.transaction` that takes a while, and calls `left` at its end. */
    work: (ms, left) => async (tx) => {
      await tx.query("select pg_sleep($1)", [ms / 1_000]);
      left();
      return { done: true };
    },
    /** Submits in a transaction, and commits it after a while, or rolls it back. */
    transaction: async (service, submissions, { commits, holdMs }) => {
      const client = await pool.connect();
      let broken;
      const fail = (error) => {
        broken = error;
      };
      client.on("error", fail);
      try {
        await client.query("begin");
        const outcomes = [];
        for (const [definition, input, options] of submissions)
          outcomes.push(await service.submit(definition, input, { ...options, tx: client }));
        await sleep(holdMs);
        await client.query(commits ? "commit" : "rollback");
        return outcomes;
      } catch (error) {
        await client.query("rollback").catch(fail);
        throw error;
      } finally {
        client.off("error", fail);
        client.release(broken);
      }
    },
    close: async () => {
      await backend.close();
      await pool.end();
    },
  };
}
