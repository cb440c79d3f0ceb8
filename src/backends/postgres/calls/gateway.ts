import { backOff, MAX_RECONNECTS, MAX_TRIES } from "../../../batching/back-off.js";
import { type AsyncReplyError, isAsyncReplyError, notRecorded } from "../../../contract/errors.js";
import { invalidOption } from "../../../contract/options.js";
import type { IsolationLevel, TransactionOptions } from "../../../ports/backend.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { RunStatement, SqlDatabase, SqlResult, SqlStatement } from "../connection/sql-database.js";
import {
  type Explain,
  isConflict,
  isConnectionError,
  isRefusal,
  isRowError,
  toStoreError,
} from "../connection/store-error.js";
import { createTimeLimit } from "../connection/time-limit.js";
import { createCalls, type FunctionName } from "./functions.js";
import type { Row } from "./row.js";
import { createSending, type Sending } from "./sending.js";

/** How a call may be repeated. */
interface CallOptions {
  /** Repeated after a lost answer it does the same, so that it is repeated here. */
  readonly repeatable?: boolean;
  /** Errors of rows come as they are, for a caller who can take the batch apart. */
  readonly rowErrors?: boolean;
}

/** Calls the functions of the schema. Conflicts are tried again; errors are told as the ports tell them. */
export interface Gateway<Tx> {
  /** Calls a function by itself. */
  call(name: FunctionName, values: unknown[], options?: CallOptions): Promise<readonly Row[]>;
  /** Runs a function of the caller in a transaction: see {@link SqlDatabase.transaction}. Never repeated. */
  transaction<Result>(
    run: (tx: Tx) => Promise<Result>,
    options: TransactionOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<Result>;
  /** Runs a function of the caller in an open transaction. If it rejects, everything it did there is rolled back. */
  withSavepoint<Result>(tx: Tx, run: () => Promise<Result>): Promise<Result>;
  /** Calls a function in a transaction that is open, that of the caller or one of `transaction`. */
  callIn(tx: Tx, name: FunctionName, values: unknown[]): Promise<readonly Row[]>;
}

/** What {@link createGateway} takes. */
export interface GatewayOptions<Tx> {
  readonly database: SqlDatabase<Tx>;
  /** Quoted. */
  readonly schema: string;
  /** Resolves when the schema may be used. */
  readonly ready: () => Promise<void>;
  /** The same within a transaction of the caller; resolves to whether it is so for good. */
  readonly readyIn: (query: RunStatement) => Promise<boolean>;
  /** How long a call takes at most, with all its repetitions. */
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  /** For events and logs. */
  readonly explain: Explain;
}

/** Makes the one way to the database. */
export function createGateway<Tx>(options: GatewayOptions<Tx>): Gateway<Tx> {
  const { database, schema, readyIn, runtime } = options;
  const within = createTimeLimit(options.timeoutMs, runtime.clock);
  const callOf = createCalls(schema);
  let isReady = false;
  const ready = async (): Promise<void> => {
    if (isReady) return;
    await options.ready();
    isReady = true;
  };

  const toError = (error: unknown): AsyncReplyError => toStoreError(error, options.explain);
  const rethrow = (error: unknown): never => {
    throw toError(error);
  };

  /** Calls at READ COMMITTED, where a call waits for a concurrent change and goes on instead of failing. */
  function atReadCommitted(statement: SqlStatement, { send }: Sending): Promise<SqlResult> {
    send();
    return database.transaction(async (tx) => {
      const query = database.queryIn(tx);
      await query({ text: "set transaction isolation level read committed" });
      return query(statement);
    });
  }

  function runAlone(statement: SqlStatement, { send }: Sending): Promise<SqlResult> {
    if (database.tellsSending !== true) send();
    return database.query(statement, send);
  }

  async function tried(
    statement: SqlStatement,
    repeatable: boolean,
    sending: Sending,
  ): Promise<readonly Row[]> {
    let reconnects = 0;
    let run = runAlone;
    for (let tries = 1; ; tries += 1) {
      try {
        await ready();
        return (await run(statement, sending)).rows;
      } catch (error) {
        sending.failed(error);
        // Whoever waited for what did not answer waits no more.
        if (isAsyncReplyError(error) || tries === MAX_TRIES) throw error;
        const conflict = isConflict(error);
        if (!conflict && !(repeatable && isConnectionError(error) && reconnects++ < MAX_RECONNECTS))
          throw error;
        // A transaction takes more round trips, so it is left to calls that have met a conflict.
        if (conflict) run = atReadCommitted;
        await backOff(tries, runtime);
      }
    }
  }

  return {
    call: async (name, values, { repeatable = false, rowErrors = false } = {}) => {
      const sending = createSending();
      try {
        return await within(tried(callOf(name, values), repeatable, sending));
      } catch (error) {
        const mayHaveRun = sending.giveUp();
        if (rowErrors && isRowError(error)) throw error;
        throw mayHaveRun ? toError(error) : notRecorded(toError(error));
      }
    },
    callIn: async (tx, name, values) => {
      try {
        const query = database.queryIn(tx);
        isReady ||= await readyIn(query);
        return (await query(callOf(name, values))).rows;
      } catch (error) {
        // Whatever became of the statement, its transaction has not been committed.
        throw notRecorded(toError(error));
      }
    },
    withSavepoint: async (tx, run) => {
      const query = database.queryIn(tx);
      await query({ text: "savepoint async_request_reply" }).catch(rethrow);
      try {
        const result = await run();
        await query({ text: "release savepoint async_request_reply" }).catch(rethrow);
        return result;
      } catch (error) {
        // If the connection is gone, so is the transaction.
        await query({ text: "rollback to savepoint async_request_reply" }).catch(() => {});
        throw error;
      }
    },
    transaction: async (run, { isolation, signal }) => {
      let thrown: unknown;
      let done = false;
      const told = async (tx: Tx): Promise<Awaited<ReturnType<typeof run>>> => {
        if (isolation !== undefined) await database.queryIn(tx)(setIsolation(isolation));
        try {
          const result = await run(tx);
          done = true;
          return result;
        } catch (error) {
          thrown = error;
          throw error;
        }
      };
      try {
        await within(ready());
        return await database.transaction(told, signal);
      } catch (error) {
        // What the caller's own function throws is the caller's, whatever it is, and so is the reason of its signal.
        if (error === thrown || error === signal?.reason) throw error;
        // Only a commit can take effect without an answer.
        throw done && !isRefusal(error) ? toError(error) : notRecorded(toError(error));
      }
    },
  };
}

const LEVELS: readonly IsolationLevel[] = ["read committed", "repeatable read", "serializable"];

/** @throws AsyncReplyError `INVALID_OPTION` */
function setIsolation(level: IsolationLevel): SqlStatement {
  if (!LEVELS.includes(level)) throw invalidOption("isolation", `one of ${LEVELS.join(", ")}`, level);
  return { text: `set transaction isolation level ${level}` };
}
