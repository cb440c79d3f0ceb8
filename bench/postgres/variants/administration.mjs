/** What is asked of any variant about its tables. */
export function administration(pool, tables) {
  const each = tables.map((table) => `('${table}'::regclass)`).join(", ");
  return {
    checkpoint: () => pool.query("checkpoint"),
    walPosition: async () => {
      const text = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as position";
      return (await pool.query(text)).rows[0].position;
    },
    /** Tables, their indexes, and what they keep out of line. */
    bytes: async () => {
      const text = `select sum(pg_total_relation_size(t))::float8 as bytes from (values ${each}) as v (t)`;
      return (await pool.query(text)).rows[0].bytes;
    },
    vacuum: async () => {
      for (const table of tables) await pool.query(`vacuum analyze ${table}`);
    },
  };
}

/** Ids of the time of row `i` of a million and of none, in SQL. What is between the fixed digits is random. */
export const sqlIds = {
  v4: "gen_random_uuid()",
  v7: `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 100 * (1000001 - i)), 12, '0') || '7' ||
    substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`,
};
