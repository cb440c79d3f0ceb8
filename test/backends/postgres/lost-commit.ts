import type { SqlPool, SqlStatement } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { poolOf } from "./pool-of.js";

/** When the connection of the first committing transaction is lost. */
export type LossAt = "before the commit" | "after the commit";

/**
 * Creates a pool that loses one connection at a COMMIT, before it is sent or before it is answered. Migrations
 * commit normally.
 */
export function losingCommit(pool: Pool, at: LossAt): SqlPool<PoolClient> {
  const migrating = new WeakSet<PoolClient>();
  let left = 1;
  return interceptPool(pool, async (text, run, client) => {
    if (text.startsWith("do $migration$")) migrating.add(client);
    if (text !== "commit" || migrating.delete(client) || left-- <= 0) return run();
    if (at === "after the commit") await run();
    // Like a network failure, which the client notices through its socket.
    const { connection } = client as unknown as {
      readonly connection: { readonly stream: { destroy(): void } };
    };
    connection.stream.destroy();
    throw new Error("Connection terminated unexpectedly");
  });
}

/** Creates a pool that delays each COMMIT by `ms`. */
export function delayingCommit(pool: Pool, ms: number): SqlPool<PoolClient> {
  return interceptPool(pool, async (text, run) => {
    if (text === "commit") await new Promise((resolve) => setTimeout(resolve, ms));
    return run();
  });
}

/** Creates a pool that records the text of every statement of the back end. */
export function notingPool(pool: Pool, note: (text: string) => void): SqlPool<PoolClient> {
  return interceptPool(pool, (text, run) => {
    note(text);
    return run();
  });
}

type Intercept = (text: string, run: () => Promise<unknown>, client: PoolClient) => Promise<unknown>;

/** Statements of the user are plain text and pass unchanged. */
function interceptPool(pool: Pool, intercept: Intercept): SqlPool<PoolClient> {
  return poolOf(async () => {
    const client = await pool.connect();
    const { query } = Object.getPrototypeOf(client) as PoolClient;
    const intercepted = (...args: readonly unknown[]) => {
      const run = () => Reflect.apply(query, client, args) as Promise<unknown>;
      const { text } = args[0] as Partial<SqlStatement>;
      return text === undefined ? run() : intercept(text, run, client);
    };
    const { release } = client;
    const restored = (destroy?: boolean) => {
      // The interception ends here, so the next user of the connection is not affected.
      Reflect.deleteProperty(client, "query");
      release.call(client, destroy);
    };
    return Object.assign(client, { query: intercepted, release: restored });
  });
}
