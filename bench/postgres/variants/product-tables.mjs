import { newOrder } from "../inside/orders.mjs";
import { administration, sqlIds } from "./administration.mjs";
import { countOf } from "./pool.mjs";

const LEASE_MS = 30_000;
const RETENTION_MS = 1;

/** The steps of a worker one by one, a table full of operations that have ended, and what is asked about the table. */
export function productTables({ pool, backend, table, definition, scope }) {
  const { operations, queue, submissions } = backend;
  const claim = async (limit) => {
    const signal = AbortSignal.abort(); // does not wait
    const deliveries = await queue.receive({ definitions: [definition], limit, leaseMs: LEASE_MS, signal });
    return deliveries.map(({ attempt }) => attempt.lease);
  };
  const complete = (leases) =>
    Promise.all(leases.map((lease) => operations.settle(lease, { to: "completed" })));

  return {
    ...administration(pool, [table]),
    due: () => countOf(pool, `${table} where settled_at is null`),
    claim,
    complete,
    purge: async (limit) => {
      // The clock of the database must be past what is retained.
      await pool.query("select pg_sleep(0.01)");
      return submissions.purge({ retentionMs: RETENTION_MS, limit });
    },
    read: (id) => operations.get(id, scope),
    someIds: async (limit) => {
      const text = `select id from ${table} where settled_at is not null order by random() limit ${limit}`;
      return (await pool.query(text)).rows.map(({ id }) => id);
    },
    /** Copies of an operation that has gone through all steps, with other ids and keys, one after the other in time. */
    fill: async ({ rows, ids, keys }) => {
      const { fingerprint, ...operation } = newOrder({ ids, keys });
      await submissions.record({ operation, fingerprint });
      await complete(await claim(1));
      const at = "now() - (1000001 - i) * interval '100 ms'";
      await pool.query(`insert into ${table} select copy.* from ${table} o, generate_series(1, ${rows}) as i,
        lateral jsonb_populate_record(o, jsonb_build_object('id', ${sqlIds[ids]}, 'key', ${sqlIds[keys]},
          'created_at', ${at}, 'settled_at', ${at}, 'retained_from', ${at})) as copy`);
      await pool.query(`vacuum analyze ${table}`);
    },
  };
}
