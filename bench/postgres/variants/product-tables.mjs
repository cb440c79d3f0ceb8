import { newOrder } from "../inside/orders.mjs";
import { administration, sqlIds } from "./administration.mjs";
import { countOf } from "./pool.mjs";
import { workerSteps } from "./worker-steps.mjs";

/** How long an operation is kept after it ends. */
export const RETENTION_MS = 86_400_000;

/** Runs the steps of a worker one by one, fills the table with finished operations, and reports its size. */
export function productTables({ pool, backend, table, definition, tenant }) {
  const { operations, submissions } = backend;
  const { claim, complete } = workerSteps(backend, definition);

  /** Moves the clock of the back end ahead, because nothing can be purged before its retention ends. */
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
    purgeExpired: (limit) => submissions.purge({ limit }),
    /** Adds failed operations that have expired. With `redriven`, each odd one has the next one as its successor. */
    expired: async (rows, redriven) => {
      const id = (n) => `lpad(to_hex(${n}), 32, '0')::uuid`;
      const other = (place, n) => `case when ${redriven} and i % 2 = ${place} then ${id(n)} end`;
      await pool.query(`insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, settled_at,
          expires_at, retried_by, retry_of)
        select ${id("i")}, 'bench', '${definition}', 'failed', '{}', 0, now(), now(),
          now() - i * 7919 % 1000 * interval '1 ms', ${other(1, "i + 1")}, ${other(0, "i - 1")}
        from generate_series(1, ${rows}) as i`);
    },
    read: (id) => operations.get(id, tenant),
    stats: () => operations.stats({ definitions: [definition] }),
    someIds: async (limit) => {
      const text = `select id from ${table} where settled_at is not null order by random() limit ${limit}`;
      return (await pool.query(text)).rows.map(({ id }) => id);
    },
    /** Copies an operation that has gone through all steps, with new ids and keys and increasing times. */
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
