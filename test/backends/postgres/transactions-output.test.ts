import type { PoolClient } from "pg";
import { declareOutputTransactions } from "../../support/output-transactions.js";
import { describePostgres } from "../../support/postgres/server.js";
import { openMigrated } from "./submissions.js";

await describePostgres("output in transactions of the user", (server) => {
  declareOutputTransactions(async () => {
    const backend = await openMigrated(server);
    const table = `${backend.schema}.noted_effects`;
    await server.pool.query(`create table if not exists ${table} (seq serial, effect text)`);
    await server.pool.query(`delete from ${table}`);
    const write = async (tx: unknown, effect: string): Promise<void> => {
      await (tx as PoolClient).query(`insert into ${table} (effect) values ($1)`, [effect]);
    };
    return {
      backend,
      write,
      effects: async () =>
        (await server.pool.query(`select effect from ${table} order by seq`)).rows.map(({ effect }) => effect),
      append: async (lease, effect, output) => {
        const { append } = backend.submissions.transactions ?? {};
        if (append === undefined) throw new Error("expected transactions that append");
        return append(lease, async (tx) => {
          await write(tx, effect);
          return output();
        });
      },
    };
  });
});
