import type { Clock } from "async-request-reply";
import type { SqlPool } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { poolOf } from "./pool-of.js";

/** Runs SQL text of any number of statements. */
export type Execute = (text: string) => Promise<unknown>;

/** Puts a clock in the place of the server's: all functions of a schema reckon by `now_v1`. */
export interface ManualTime {
  advance(ms: number): Promise<void>;
  set(ms: number): Promise<void>;
}

/** Stops the time of a schema, which has been migrated, for all its connections. */
export async function stopTime(
  execute: Execute,
  schema: string,
  startMs: number = Date.UTC(2026, 0),
): Promise<ManualTime> {
  // Read by an index: the functions rule out scans of tables by their cost, with which every call would be compiled first.
  await execute(`
    create table if not exists ${schema}.test_clock (id integer primary key, ms float8 not null);
    delete from ${schema}.test_clock;
    insert into ${schema}.test_clock values (1, ${startMs});
    create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select to_timestamp(ms / 1000) from ${schema}.test_clock where id = 1';`);
  return {
    advance: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ms + ${ms}`)),
    set: async (ms) => void (await execute(`update ${schema}.test_clock set ms = ${ms}`)),
  };
}

const SETTING = "arr_test.now_ms";
/** Of all histories: what one of them leaves running, a notification say, must not mislead the next on its connection. */
const told = new WeakMap<PoolClient, number>();

/** Lets each connection have a time of its own in a schema, which has been migrated: see {@link inTurn}. */
export async function takeTimeFromConnections(execute: Execute, schema: string): Promise<void> {
  await execute(`create or replace function ${schema}.now_v1() returns timestamptz language sql stable
    as 'select to_timestamp(current_setting(''${SETTING}'')::float8 / 1000)'`);
}

/**
 * The connections of several pools in turn, each told the time of a clock of this process before each of its statements. A
 * setting of the connection costs a tenth of a row that all of them read. A pool has one connection; one that a transaction
 * holds is passed over.
 */
export function inTurn(pools: readonly Pool[], clock: Clock): SqlPool<PoolClient> {
  const held = new Set<Pool>();
  const ending = new Set<Promise<boolean>>();
  let turn = 0;

  function next(): Pool {
    const free = pools.filter((pool) => !held.has(pool));
    turn = (turn + 1) % Math.min(free.length, TAKING_TURNS);
    const pool = free[turn];
    if (pool === undefined) throw new Error("every connection is held: transactions are left open");
    return pool;
  }

  return poolOf(async () => {
    // What a connection that was ended has locked is locked until the server notices.
    await Promise.all(ending);
    const pool = next();
    held.add(pool);
    const client = await pool.connect();
    // Each handle looks like another connection, and is listened to as one.
    client.setMaxListeners(0);
    return withTime(client, clock, (destroy) => {
      held.delete(pool);
      if (destroy === true) {
        const ended: Promise<boolean> = new Promise((resolve) => client.once("end", resolve)).then(() =>
          ending.delete(ended),
        );
        ending.add(ended);
      }
      client.release(destroy);
    });
  });
}

/** So many connections take turns; the others are for times when transactions hold some of them. */
const TAKING_TURNS = 3;

/** A handle of its own for each time that a connection is taken, so that a stale one is no way to another transaction. */
function withTime(client: PoolClient, clock: Clock, release: (destroy?: boolean) => void): PoolClient {
  const query = async (...args: readonly unknown[]): Promise<unknown> => {
    const [statement] = args as [string | { readonly text: string }];
    const text = typeof statement === "string" ? statement : statement.text;
    // The time that was told in a transaction is rolled back with it.
    if (text === "rollback") told.delete(client);
    else if (text !== "begin" && text !== "commit") await tellTime(client, clock.now());
    return Reflect.apply(client.query, client, args);
  };
  return { query, release, on: client.on.bind(client) } as unknown as PoolClient;
}

async function tellTime(client: PoolClient, now: number): Promise<void> {
  if (told.get(client) === now) return;
  const text = "select set_config($1, $2, false)";
  await client.query({ name: "arr_test_now", text, values: [SETTING, String(now)] });
  told.set(client, now);
}
