import { isObject } from "../../../contract/options.js";
import { createSystemRuntime } from "../../../platform/system-runtime.js";
import { createTimeLimit, untilAborted } from "../../../platform/waits.js";
import type { Clock } from "../../../ports/runtime.js";
import { checkLibrary } from "./check-library.js";
import { checkTransaction, neverConnected } from "./open-transaction.js";
import { listenOn } from "./pool-listener.js";
import type { RunStatement, SqlClient, SqlDatabase, SqlPool } from "./sql-database.js";
import { isConnectionError, isReadOnly } from "./store-error.js";

const OPEN_TRANSACTION =
  'the connection of your open transaction: `const tx = await pool.connect()`, then `await tx.query("begin")`';

/** Options of {@link fromPool}. */
export interface FromPoolOptions {
  /** Time limit of a statement, and of the wait for a connection. Milliseconds. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Default: the clock of the platform. */
  readonly clock?: Clock;
}

/**
 * Adapts a pool, like `createPostgresBackend` does with the option `pool`, so that you can wrap the result. Connections that
 * do not answer in time are closed.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromPool<Client extends SqlClient>(
  pool: SqlPool<Client>,
  { timeoutMs = 10_000, clock = createSystemRuntime().clock }: FromPoolOptions = {},
): SqlDatabase<Client> {
  checkLibrary("fromPool", pool, "a `Pool` of `pg`, such as `new Pool({ connectionString })`", "connect");
  const within = createTimeLimit(timeoutMs, clock);

  async function connect(): Promise<Client> {
    const connecting = takeFrom(pool);
    try {
      return await within(connecting);
    } catch (error) {
      // The pool may still hand out the connection after the caller has timed out.
      connecting.then((client) => client.release()).catch(() => {});
      throw error;
    }
  }

  const queryIn = (client: Client): RunStatement => {
    checkTransaction(client, isPool(client), OPEN_TRANSACTION);
    if (isUnconnected(client)) throw neverConnected();
    return (statement) => within(client.query(statement));
  };

  return {
    tellsSending: true,
    query: async (statement, onSend) => {
      const client = await connect();
      try {
        onSend?.();
      } catch (error) {
        client.release();
        throw error;
      }
      let broken = false;
      try {
        return await within(client.query(statement));
      } catch (error) {
        broken = isConnectionError(error);
        throw error;
      } finally {
        // The pool must not hand out a broken connection again.
        client.release(broken);
      }
    },
    transaction: (run, signal) => inTransaction(connect, queryIn, run, signal),
    queryIn,
    listen: async (onMessage, onLost) => listenOn(await connect(), { onMessage, onLost, within }),
  };
}

async function inTransaction<Client extends SqlClient, Result>(
  connect: () => Promise<Client>,
  queryIn: (client: Client) => RunStatement,
  run: (tx: Client) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const client = await connect();
  const query = queryIn(client);
  const end = async (how: "commit" | "rollback"): Promise<void> => {
    await query({ text: how });
    broken = false;
  };
  let broken = true;
  try {
    await query({ text: "begin" });
    const result = await untilAborted(run(client), signal).catch(async (error: unknown) => {
      // After an abort, `run` may still use the connection, so it is closed. This rolls back as well.
      if (signal?.aborted !== true && !isReadOnly(error)) await end("rollback").catch(() => {});
      throw error;
    });
    await end("commit");
    return result;
  } finally {
    // A connection in an unknown state must not return to the pool.
    client.release(broken);
  }
}

type AcquireListener = (event: "acquire", listener: (client: SqlClient) => void) => unknown;

/**
 * Keeps a lost connection from ending the process while another library uses it. Has no effect on pools of other
 * libraries than `pg`.
 */
export function ignoreErrorsOfAcquired(pool: object): void {
  const { on, off } = pool as Partial<Record<"on" | "off", AcquireListener>>;
  // Several back ends can share a pool, which needs one listener.
  off?.call(pool, "acquire", ignoreErrorEvents);
  on?.call(pool, "acquire", ignoreErrorEvents);
}

/** Takes a connection. Uses a callback, because the connection can break before a promise would resolve. */
export function takeFrom<Client extends SqlClient>(pool: SqlPool<Client>): Promise<Client> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      ignoreErrorEvents(client);
      resolve(client);
    });
  });
}

const withListener = new WeakSet<SqlClient>();

/**
 * Keeps a lost connection from ending the process, as an `error` event without a listener would. Calls in progress
 * reject anyway.
 */
function ignoreErrorEvents(client: SqlClient & { on?(event: "error", listener: () => void): unknown }): void {
  if (withListener.has(client)) return;
  withListener.add(client);
  client.on?.("error", () => {});
}

/** Whether a value is a connection of `pg`: a `Client`, or a client taken from a pool. */
export function isClient(value: object): boolean {
  const { connect, getTypeParser } = value as {
    readonly connect?: unknown;
    readonly getTypeParser?: unknown;
  };
  return typeof connect === "function" && typeof getTypeParser === "function";
}

/**
 * Whether a client of `pg` was never told to connect, so that it queues its statements without an end. False if the client does
 * not show it. Then the time limit ends the call.
 */
function isUnconnected({
  connection,
}: SqlClient & { readonly connection?: { readonly stream?: Partial<Socket> } }): boolean {
  const { pending, connecting, destroyed } = connection?.stream ?? {};
  return pending === true && connecting === false && destroyed === false;
}

/** The state of a socket of Node. */
interface Socket {
  /** Is also true while it connects, and after it was destroyed. */
  readonly pending: unknown;
  readonly connecting: unknown;
  readonly destroyed: unknown;
}

/** Whether a value is a pool of connections. */
export function isPool(value: unknown): boolean {
  if (!isObject(value) || isClient(value)) return false;
  const { connect, release } = value as { readonly connect?: unknown; readonly release?: unknown };
  return typeof connect === "function" && typeof release !== "function";
}
