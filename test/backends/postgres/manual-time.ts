import type { Clock } from "async-request-reply";

/** Runs SQL text of any number of statements. */
export type Execute = (text: string) => Promise<unknown>;

/** Puts a clock in the place of the server's: all functions of a schema reckon by `now_v1`. */
export interface ManualTime {
  advance(ms: number): Promise<void>;
  set(ms: number): Promise<void>;
}

/** Stops the time of a schema, which has been migrated. */
export async function stopTime(
  execute: Execute,
  schema: string,
  startMs: number = Date.UTC(2026, 0),
): Promise<ManualTime> {
  await execute(`
    create table if not exists ${schema}.test_clock (ms float8 not null);
    delete from ${schema}.test_clock;
    insert into ${schema}.test_clock values (${startMs});
    create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select to_timestamp(ms / 1000) from ${schema}.test_clock';`);
  return {
    advance: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ms + ${ms}`)),
    set: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ${ms}`)),
  };
}

/** Follows a clock of this process: each call first tells the database what time it is. */
export function followClock(time: ManualTime, clock: Clock): () => Promise<void> {
  let told: number | undefined;
  return async () => {
    const now = clock.now();
    if (now === told) return;
    told = now;
    await time.set(now);
  };
}
