import { randomUUID } from "node:crypto";
import { newOrder } from "../inside/orders.mjs";
import { administration, sqlIds } from "./administration.mjs";
import { countOf } from "./pool.mjs";

const LEASE_MS = 30_000;
/** How long an operation is kept after its end. */
export const RETENTION_MS = 86_400_000;

/** The steps of a worker one by one, a table full of operations that have ended, and what is asked about the table. */
export function productTables({ pool, backend, table, definition, tenant }) {
  const { operations, queue, submissions } = backend;
  const definitions = [{ name: definition, concurrency: 1_000, leaseMs: LEASE_MS }];
  const consumer = queue.consume({ definitions });
  const claim = async (limit) => {
    const signal = AbortSignal.abort(); // does not wait
    const slots = new Map([[definition, limit]]);
    const deliveries = await consumer.receive({ slots, limit, token: randomUUID(), signal });
    return deliveries.map(({ attempt }) => attempt.lease);
  };
  const complete = (leases) =>
    Promise.all(leases.map((lease) => operations.settle(lease, { to: "completed" })));

  /** Sets the clock of the back end so much ahead: before the end of the retention there is nothing to purge. */
  const setClock = (aheadMs) =>
    pool.query(`create or replace function ${table.split(".")[0]}.now_v1() returns timestamptz language sql stable
      parallel safe as $$select statement_timestamp() + ${aheadMs} * interval '1 ms'$$`);

  return {
    ...administration(pool, [table]),
    due: () => countOf(pool, `${table} where settled_at is null`),
    claim,
    complete,
    purge: async (limit) => {
      await setClock(RETENTION_MS);
      const purged = await submissions.purge({ limit });
      await setClock(0);
      return purged;
    },
    read: (id) => operations.get(id, tenant),
    someIds: async (limit) => {
      const text = `select id from ${table} where settled_at is not null order by random() limit ${limit}`;
      return (await pool.query(text)).rows.map(({ id }) => id);
    },
    /** Copies of an operation that has gone through all steps, with other ids and keys, one after the other in time. */
    fill: async ({ rows, ids, keys }) => {
      const { fingerprint, ...operation } = newOrder({ ids, keys });
      await submissions.record({ operation: { ...operation, retentionMs: RETENTION_MS }, fingerprint });
      await complete(await claim(1));
      const at = "now() - (1000001 - i) * interval '100 ms'";
      await pool.query(`insert into ${table} select copy.* from ${table} o, generate_series(1, ${rows}) as i,
        lateral jsonb_populate_record(o, jsonb_build_object('id', ${sqlIds[ids]}, 'key', ${sqlIds[keys]},
          'created_at', ${at}, 'settled_at', ${at}, 'expires_at', now() + interval '1 day')) as copy`);
      await pool.query(`vacuum analyze ${table}`);
    },
  };
}
