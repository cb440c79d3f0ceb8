/** Measures and vacuums the tables of a variant. */
export function administration(pool, tables) {
  const each = tables.map((table) => `('${table}'::regclass)`).join(", ");
  return {
    checkpoint: () => pool.query("checkpoint"),
    walPosition: async () => {
      const text = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as position";
      return (await pool.query(text)).rows[0].position;
    },
    /** Size of the tables with their indexes and TOAST. Bytes. */
    bytes: async () => {
      const text = `select sum(pg_total_relation_size(t))::float8 as bytes from (values ${each}) as v (t)`;
      return (await pool.query(text)).rows[0].bytes;
    },
    /** Size of each table with its TOAST, and of each index. Bytes. */
    sizes: async () => {
      const text = `with t as (select t from (values ${each}) as v (t))
        select t::text as name, pg_table_size(t)::float8 as bytes from t
        union all
        select indexrelid::regclass::text, pg_relation_size(indexrelid)::float8 from pg_index join t on indrelid = t
        order by bytes desc`;
      return (await pool.query(text)).rows;
    },
    /** Number of deadlocks in the database so far. Connections report them within a second. */
    deadlocks: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const text = "select deadlocks::integer from pg_stat_database where datname = current_database()";
      return (await pool.query(text)).rows[0].deadlocks;
    },
    vacuum: async () => {
      for (const table of tables) await pool.query(`vacuum analyze ${table}`);
    },
  };
}

/** SQL for the id of row `i` of a million: v4 is random, v7 begins with a time that increases with `i`. */
export const sqlIds = {
  v4: "gen_random_uuid()",
  v7: `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 100 * (1000001 - i)), 12, '0') || '7' ||
    substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`,
};
