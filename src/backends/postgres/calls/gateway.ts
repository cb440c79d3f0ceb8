import { backOff, MAX_RECONNECTS, MAX_TRIES } from "../../../batching/back-off.js";
import { AsyncReplyError, isAsyncReplyError, notRecorded } from "../../../contract/errors.js";
import { invalidOption } from "../../../contract/options.js";
import { createTimeLimit } from "../../../platform/waits.js";
import type { IsolationLevel, TransactionOptions } from "../../../ports/backend.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { Row } from "../../shared/row.js";
import { codeOf } from "../connection/driver-error.js";
import type { SharedTransactions } from "../connection/from-transactions.js";
import { notInTransaction } from "../connection/open-transaction.js";
import type { RunStatement, SqlDatabase, SqlResult, SqlStatement } from "../connection/sql-database.js";
import {
  type Explain,
  isConflict,
  isConnectionError,
  isRefusal,
  isRowError,
  toStoreError,
} from "../connection/store-error.js";
import { once } from "../schema/migrate.js";
import { createCalls, type FunctionName } from "./functions.js";
import { createOwnDatabase, type OwnDatabase } from "./own-database.js";

/** Options of one call. */
interface CallOptions {
  /**
   * Whether the call can be repeated safely after its answer was lost. If true, the gateway repeats it. Default:
   * false.
   */
  readonly repeatable?: boolean;
  /** Whether to throw errors of rows unchanged, for callers that can split the batch. Default: false. */
  readonly rowErrors?: boolean;
  /** Called right before the statement is sent, at each try. If it throws, the statement is not sent. */
  readonly onSend?: (() => void) | undefined;
}

/** Calls the functions of the schema. Retries conflicts, and throws the errors that the ports document. */
export interface Gateway<Tx> {
  /** Calls a function outside of any transaction. */
  call(name: FunctionName, values: unknown[], options?: CallOptions): Promise<readonly Row[]>;
  /** Runs `run` once in a transaction: see {@link SqlDatabase.transaction}. Rethrows its errors unchanged. */
  transaction<Result>(
    run: (tx: Tx) => Promise<Result>,
    options: TransactionOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<Result>;
  /** Runs `run` in an open transaction. If it rejects, everything that it did there is rolled back. */
  withSavepoint<Result>(tx: Tx, run: () => Promise<Result>): Promise<Result>;
  /** Calls a function of the schema in an open transaction: the caller's, or one that `transaction` began. */
  callIn(tx: Tx, name: FunctionName, values: unknown[]): Promise<readonly Row[]>;
  /** Recognizes the database after the first use of the pool. */
  readonly own: OwnDatabase;
  /**
   * Makes the first use of the database.
   *
   * Throws `INVALID_OPTION` if shared transactions are those of another database.
   */
  verify(): Promise<void>;
}

/** Options of {@link createGateway}. */
export interface GatewayOptions<Tx> {
  /** Serves all calls outside of shared transactions. */
  readonly database: SqlDatabase<unknown>;
  /** Transactions that the caller's writes share. */
  readonly shared: SharedTransactions<Tx>;
  /** Quoted name of the schema. */
  readonly schema: string;
  /** Resolves when the schema is ready to use. */
  readonly ready: () => Promise<void>;
  /** Makes the schema ready within the caller's transaction. Resolves to whether it stays ready after a rollback. */
  readonly readyIn: (query: RunStatement) => Promise<boolean>;
  /** Time limit of a call, including all retries. Milliseconds. */
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  /** Explains errors in events and logs. */
  readonly explain: Explain;
}

/** Creates the gateway through which all calls to the database go. */
export function createGateway<Tx>(options: GatewayOptions<Tx>): Gateway<Tx> {
  const { database, shared, schema, readyIn, runtime } = options;
  const within = createTimeLimit(options.timeoutMs, runtime.clock);
  const callOf = createCalls(schema);
  const readMark = async (query: RunStatement): Promise<string | null> =>
    (await query(callOf("database_v1", []))).rows[0]?.mark as string | null;
  const own = createOwnDatabase(() => readMark(database.query));
  let isReady = false;
  let isReadyIn = false;
  const firstUse = once(async () => {
    await options.ready();
    await own.read();
    isReady = true;
  });
  const ready = async (): Promise<void> => {
    if (!isReady) await firstUse();
  };

  let sharesDatabase = shared === database;
  /** All transactions of a library begin in the same database, so the first one tells. */
  async function refuseOtherDatabase(tx: Tx): Promise<void> {
    if (sharesDatabase) return;
    const found = await readMark(shared.queryIn(tx));
    await own.refuseOther(
      found,
      (other, pool) =>
        `Option \`transactions\` begins transactions in the database ${other}, but \`pool\` is connected to ${pool}. ` +
        "Connect both to the same database.",
    );
    sharesDatabase = true;
  }

  const toError = (error: unknown): AsyncReplyError => toStoreError(error, options.explain);
  const rethrow = (error: unknown): never => {
    throw toError(error);
  };

  /** Runs a statement at READ COMMITTED, where it waits for concurrent changes instead of failing. */
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

  async function callWithRetries(
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
        // The call has already timed out.
        if (isAsyncReplyError(error) || tries === MAX_TRIES) throw error;
        const conflict = isConflict(error);
        if (!conflict && !(repeatable && isConnectionError(error) && reconnects++ < MAX_RECONNECTS))
          throw error;
        // A transaction takes more round trips, so it is only used after a conflict.
        if (conflict) run = atReadCommitted;
        await backOff(tries, runtime);
      }
    }
  }

  async function transaction<Result>(
    run: (tx: Tx) => Promise<Result>,
    { isolation, signal }: TransactionOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<Result> {
    let thrown: unknown;
    let done = false;
    const runAndNote = async (tx: Tx): Promise<Result> => {
      if (isolation !== undefined) await shared.queryIn(tx)(setIsolation(isolation));
      await refuseOtherDatabase(tx);
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
      return await shared.transaction(runAndNote, signal);
    } catch (error) {
      // Errors of the caller's function and the reason of its signal are rethrown unchanged.
      if (error === thrown || error === signal?.reason) throw error;
      // Only the commit can take effect even if its answer is lost.
      throw done && !isRefusal(error) ? toError(error) : notRecorded(toError(error));
    }
  }

  return {
    call: async (name, values, { repeatable = false, rowErrors = false, onSend } = {}) => {
      const sending = createSending(onSend);
      try {
        return await within(callWithRetries(callOf(name, values), repeatable, sending));
      } catch (error) {
        const mayHaveRun = sending.giveUp();
        if (rowErrors && isRowError(error)) throw error;
        throw mayHaveRun ? toError(error) : notRecorded(toError(error));
      }
    },
    callIn: async (tx, name, values) => {
      try {
        const query = shared.queryIn(tx);
        if (!isReady && !isReadyIn) isReadyIn = await readyIn(query);
        return (await query(callOf(name, values))).rows;
      } catch (error) {
        // The statement may have run, but its transaction has not been committed.
        throw notRecorded(toError(error));
      }
    },
    withSavepoint: async (tx, run) => {
      const query = shared.queryIn(tx);
      await query({ text: "savepoint async_request_reply" }).catch((error: unknown) => {
        throw codeOf(error) === "25P01" ? notInTransaction() : toError(error);
      });
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
    own,
    transaction,
    verify: async () => {
      await within(ready());
      if (!sharesDatabase) await transaction(async () => {}, {});
    },
  };
}

const LEVELS: readonly IsolationLevel[] = ["read committed", "repeatable read", "serializable"];

/** Throws `INVALID_OPTION`. */
function setIsolation(level: IsolationLevel): SqlStatement {
  if (!LEVELS.includes(level)) throw invalidOption("isolation", `one of ${LEVELS.join(", ")}`, level);
  return { text: `set transaction isolation level ${level}` };
}

/** Tracks the tries of one call, to know whether any of them may have taken effect. */
interface Sending {
  /**
   * Records that the statement is about to be sent. Throws if the caller has given up, so the statement is not sent.
   */
  send(): void;
  /** Records that a try has failed. */
  failed(error: unknown): void;
  /** Gives up, and returns whether a statement that was sent may have taken effect. */
  giveUp(): boolean;
}

/** Creates a {@link Sending}. Calls `onSend` whenever the statement is about to be sent. */
function createSending(onSend?: () => void): Sending {
  let sent = false;
  let lost = false;
  let over = false;
  return {
    send: () => {
      if (over) throw new AsyncReplyError("STORE_UNAVAILABLE", "The caller has already timed out.");
      onSend?.();
      sent = true;
    },
    failed: (error) => {
      lost ||= sent && !isRefusal(error);
      sent = false;
    },
    giveUp: () => {
      over = true;
      return lost || sent;
    },
  };
}
