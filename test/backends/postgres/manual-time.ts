import type { Clock } from "async-request-reply";
import type { SqlPool } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import type { Execute } from "../../support/postgres/stop-time.js";
import { poolOf } from "./pool-of.js";

const SETTING = "arr_test.now_ms";
/**
 * Shared by all histories, so that work left over from one of them, such as a notification, does not mislead the
 * next one on its connection.
 */
const told = new WeakMap<PoolClient, number>();

/** Lets each connection set its own time in a migrated schema. See {@link inTurn}. */
export async function takeTimeFromConnections(execute: Execute, schema: string): Promise<void> {
  await execute(`create or replace function ${schema}.now_v1() returns timestamptz language sql stable
    as 'select to_timestamp(current_setting(''${SETTING}'')::float8 / 1000)'`);
}

/**
 * Uses the connections of several pools in turn and sets the time of a clock of this process before each statement.
 * A setting of the connection costs a tenth of a row that all of them read. Each pool has one connection.
 * Connections that a transaction holds are skipped.
 */
export function inTurn(pools: readonly Pool[], clock: Clock): SqlPool<PoolClient> {
  const held = new Set<Pool>();
  const ending = new Set<Promise<boolean>>();
  let turn = 0;

  function next(): Pool {
    const free = pools.filter((pool) => !held.has(pool));
    turn = (turn + 1) % Math.min(free.length, TAKING_TURNS);
    const pool = free[turn];
    if (pool === undefined) throw new Error("Every connection is held, so some transactions were left open.");
    return pool;
  }

  return poolOf(async () => {
    // Locks of an ended connection stay until the server notices the end.
    await Promise.all(ending);
    const pool = next();
    held.add(pool);
    const client = await pool.connect();
    // Each handle looks like another connection and adds its own listeners.
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

/** Number of connections that take turns. The others are for times when transactions hold some of them. */
const TAKING_TURNS = 3;

/** Creates a new handle each time a connection is taken, so that a stale handle cannot reach another transaction. */
function withTime(client: PoolClient, clock: Clock, release: (destroy?: boolean) => void): PoolClient {
  const query = async (...args: readonly unknown[]) => {
    const [statement] = args as [string | { readonly text: string }];
    const text = typeof statement === "string" ? statement : statement.text;
    // A time set in a transaction is rolled back with it.
    if (text === "rollback") told.delete(client);
    else if (text !== "begin" && text !== "commit") await tellTime(client, clock.now());
    return Reflect.apply(client.query, client, args);
  };
  return { query, release, on: client.on.bind(client) } as unknown as PoolClient;
}

async function tellTime(client: PoolClient, now: number) {
  if (told.get(client) === now) return;
  const text = "select set_config($1, $2, false)";
  await client.query({ name: "arr_test_now", text, values: [SETTING, String(now)] });
  told.set(client, now);
}
