import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import { codeOf } from "../connection/driver-error.js";
import { isPool, takeFrom } from "../connection/from-pool.js";
import type { SqlClient, SqlPool } from "../connection/sql-database.js";

/** Members of a `Pool` of `pg` that describe it. Other pools can lack them. */
interface DescribedPool {
  readonly ending?: unknown;
  readonly ended?: unknown;
  readonly options?: { readonly max?: unknown } | undefined;
}

/** Returns the mistake in a pool that can be found without a connection, or undefined. */
export function poolMistake(pool: object, listen: boolean): AsyncReplyError | undefined {
  const { options } = pool as DescribedPool;
  if (hasEnded(pool)) return misuse(POOL_ENDED);
  if (!listen || options?.max !== 1) return undefined;
  return misuse(
    "The pool of `createPostgresBackend` has `max: 1`, but listening for notifications keeps one connection in use. " +
      "Create the pool with a `max` of at least 2, or pass `listen: false`.",
  );
}

/**
 * Warns if nothing listens for the errors of a pool of `pg`. When the server restarts, its idle connections break, and such an
 * error would end the process.
 */
export function warnOfUnheardErrors(pool: object): void {
  const { listenerCount } = pool as { readonly listenerCount?: unknown };
  if (!isPool(pool) || typeof listenerCount !== "function" || listenerCount.call(pool, "error") !== 0) return;
  process.emitWarning(
    "The pool of `createPostgresBackend` has no listener for `error`, so this process ends when the database restarts. Add one, " +
      'such as `pool.on("error", console.error)`.',
    { type: "AsyncReplyWarning", code: "POOL_WITHOUT_LISTENER" },
  );
}

/** Whether the caller has ended a pool. */
export function hasEnded(pool: object): boolean {
  const { ending, ended } = pool as DescribedPool;
  return ending === true || ended === true;
}

/** Message for a pool that has ended. */
export const POOL_ENDED: string =
  "The pool of `createPostgresBackend` has ended, so it provides no connections. Pass an open pool, and end it after " +
  "`backend.close()`.";

/** Prepared by name, like every call of the back end. */
const NAMED = { name: "arr_check", text: "select pg_backend_pid() as pid", values: [] };

/** Message for a pooler that gives prepared statements of one connection to another. */
export const STATEMENTS_LOST: string =
  "The pooler between the pool and the server loses prepared statements. Use pgbouncer 1.21 or later with " +
  "`max_prepared_statements` above 0, or another pool mode, or connect to the server itself.";

/** A connection with the process id that the other side has announced. Clients of `pg` have it. */
interface KnowingClient extends SqlClient {
  readonly processID?: unknown;
}

/** Whether an error says that a prepared statement is missing, or was prepared by another connection. */
export function isAboutPreparing(error: unknown): boolean {
  return ["42P05", "26000"].includes(codeOf(error));
}

/**
 * If there is a pooler, prepares a statement on a connection, closes it, and prepares the statement again on the next
 * one. A pooler in transaction mode gives both the same connection to the server.
 */
export async function findPoolerMistake(pool: object): Promise<AsyncReplyError | undefined> {
  if (!isPool(pool)) return undefined;
  const clients = pool as SqlPool<KnowingClient>;
  try {
    if (await prepareOn(clients)) await prepareOn(clients);
    return undefined;
  } catch (error) {
    if (!isAboutPreparing(error)) throw error;
    return misuse(STATEMENTS_LOST);
  }
}

/** Returns whether there is a pooler: it makes up the process that it tells its clients. Then closes the connection. */
async function prepareOn(pool: SqlPool<KnowingClient>): Promise<boolean> {
  const client = await takeFrom(pool);
  let isPooled = true;
  try {
    const { rows } = await client.query(NAMED);
    isPooled = typeof client.processID === "number" && client.processID !== rows[0]?.pid;
  } finally {
    client.release(isPooled);
  }
  return isPooled;
}
