/** Runs SQL text with any number of statements. */
export type Execute = (text: string) => Promise<unknown>;

/** Replaces the clock of the server. All functions of a schema use `now_v1`. */
export interface ManualTime {
  advance(ms: number): Promise<void>;
  set(ms: number): Promise<void>;
}

/** Time in a schema at the beginning of a case. */
export const START_MS: number = Date.UTC(2026, 0);

/** Stops the time of a migrated schema for all its connections. */
export async function stopTime(execute: Execute, schema: string): Promise<ManualTime> {
  // Read through an index, because the functions rule out table scans by cost, which would cause every call to be
  // compiled first.
  await execute(`
    create table ${schema}.test_clock (id integer primary key, ms float8 not null);
    insert into ${schema}.test_clock values (1, ${START_MS});
    create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select to_timestamp(ms / 1000) from ${schema}.test_clock where id = 1';`);
  return {
    advance: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ms + ${ms}`)),
    set: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ${ms}`)),
  };
}
