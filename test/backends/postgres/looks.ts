import type { Pool } from "pg";

/** Everything that a connection reads in a schema during a call. */
export interface Looks {
  /** Scans of tables. */
  readonly scans: number;
  /** Entries of indexes. */
  readonly rows: number;
  /** Blocks of tables and indexes. */
  readonly blocks: number;
}

/** Returns what a call reads. The pool must have one connection, because each reports only its own work. */
export async function looksOf(pool: Pool, schema: string, call: () => Promise<unknown>): Promise<Looks> {
  const before = await looksAt(pool, schema);
  await call();
  const after = await looksAt(pool, schema);
  return {
    scans: after.scans - before.scans,
    rows: after.rows - before.rows,
    blocks: after.blocks - before.blocks,
  };
}

/**
 * Returns what a call reads at least, which can be repeated. After statistics have changed, by autovacuum too, one call plans its
 * queries again, and planning reads entries of operations that have ended.
 */
export async function leastLooksOf(pool: Pool, schema: string, call: () => Promise<unknown>): Promise<Looks> {
  const looks: Looks[] = [];
  for (let time = 0; time < 3; time += 1) looks.push(await looksOf(pool, schema, call));
  return looks.reduce((least, each) => (each.blocks < least.blocks ? each : least));
}

/** Returns what was read so far. */
async function looksAt(pool: Pool, schema: string): Promise<Looks> {
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<Looks>(
    `select sum(t.seq_scan)::int as scans,
       (select sum(i.idx_tup_read)::int from pg_stat_user_indexes i where i.schemaname = $1) as rows,
       (select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int
        from pg_statio_user_tables o where o.schemaname = $1) as blocks
     from pg_stat_user_tables t where t.schemaname = $1`,
    [schema],
  );
  return rows[0] ?? { scans: Number.NaN, rows: Number.NaN, blocks: Number.NaN };
}
