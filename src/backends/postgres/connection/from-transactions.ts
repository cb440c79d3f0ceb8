import { misuse, shown } from "../../../contract/options.js";
import { createTimeLimit, untilAborted, type WithinTime } from "../../../platform/waits.js";
import type { Clock } from "../../../ports/runtime.js";
import { codeOf, driverErrorOf } from "./driver-error.js";
import { notInTransaction } from "./open-transaction.js";
import type { RunStatement, SqlDatabase } from "./sql-database.js";
import type { SqlTransactions } from "./sql-transactions.js";

/** Fails with SQLSTATE 25P01 outside of a transaction, and changes nothing in one. */
const PROVE_OPEN = { text: "lock table pg_catalog.pg_language in access share mode" };

const READ_SESSION = {
  text: "select pg_backend_pid() as pid, (extract(epoch from transaction_timestamp()) * 1000000)::bigint::text as begun",
  values: [],
};

/** Signals a connection only if its transaction is still the same. */
const signalSession = (signal: "pg_cancel_backend" | "pg_terminate_backend"): string =>
  `select ${signal}(pid) from pg_catalog.pg_stat_activity where pid = $1::int and ` +
  "(extract(epoch from xact_start) * 1000000)::bigint::text = $2";

/** Connection of a transaction, as the server knows it: its process, and when the transaction has begun. */
type Session = readonly [pid: unknown, begun: unknown];

/** Transactions that the caller's writes share. */
export type SharedTransactions<Tx> = Pick<SqlDatabase<Tx>, "transaction" | "queryIn">;

/** Returns the transactions of another library on a database, with time limits and checks. */
export function fromTransactions<Tx>(
  transactions: SqlTransactions<Tx>,
  database: Pick<SqlDatabase<unknown>, "query">,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): SharedTransactions<Tx> {
  const within = createTimeLimit(timeoutMs, clock);
  const { example = "the open transaction of the library that `transactions` stands for" } = transactions;
  /** Open transactions that this has begun, with their sessions once they are known. */
  const own = new Map<unknown, Session | undefined>();

  const inTransaction = (tx: Tx): RunStatement => {
    return (statement) => within(transactions.query(tx, statement)).catch(throwDriverError);
  };

  /** The first statement can set the isolation level, so the session is read after it. */
  function inOwn(tx: Tx): RunStatement {
    const query = inTransaction(tx);
    return async (statement) => {
      const result = await query(statement);
      if (own.get(tx) === undefined) {
        const [row] = (await query(READ_SESSION)).rows;
        own.set(tx, [row?.pid, row?.begun]);
      }
      return result;
    };
  }

  /** If the caller's transaction has ended, a statement would commit by itself. */
  function inForeign(tx: Tx): RunStatement {
    const query = inTransaction(tx);
    let isOpen = false;
    return async (statement) => {
      if (!isOpen) await query(PROVE_OPEN).catch(refuseEnded);
      isOpen = true;
      return query(statement);
    };
  }

  function refuseEnded(error: unknown): never {
    if (codeOf(error) !== "25P01") throw error;
    throw notInTransaction(`Pass ${example}.`);
  }

  /** The function may still use its transaction, and one of its statements may still run or wait for a lock. */
  async function endSession(tx: Tx): Promise<void> {
    const session = own.get(tx);
    const signal = transactions.seal?.(tx) === true ? "pg_cancel_backend" : "pg_terminate_backend";
    if (session !== undefined) await database.query({ text: signalSession(signal), values: [...session] });
  }

  return {
    queryIn: (tx) => {
      if (own.has(tx)) return inOwn(tx);
      if (Object(tx) !== tx) throw misuse(`Option \`tx\` must be ${example}, not ${shown(tx)}.`);
      if (transactions.isTransaction?.(tx as Tx & object) === false)
        throw misuse(`Option \`tx\` is no transaction of the library of \`transactions\`. Pass ${example}.`);
      return inForeign(tx);
    },
    transaction: (work, signal) =>
      runWithin(transactions, within, async (tx) => {
        own.set(tx, undefined);
        try {
          return await untilAborted(work(tx), signal);
        } catch (error) {
          if (signal?.aborted === true) await endSession(tx).catch(() => {});
          throw error;
        } finally {
          own.delete(tx);
        }
      }),
  };
}

function throwDriverError(error: unknown): never {
  throw driverErrorOf(error);
}

/**
 * Runs `work` in a transaction, inside of the library's function, because some libraries know their transaction by the
 * asynchronous context. The begin and the end have a time limit. Rethrows errors of `work` unchanged.
 */
async function runWithin<Tx, Result>(
  transactions: SqlTransactions<Tx>,
  within: WithinTime,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let thrown: { readonly error: unknown } | undefined;
  let isLate = false;
  let enter = (): void => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  let worked: Promise<unknown> | undefined;
  const ended = transactions.begin(async (tx) => {
    enter();
    if (isLate) throw new Error("The caller has already timed out.");
    const working = work(tx);
    worked = working.catch((error: unknown) => {
      thrown = { error };
    });
    return working;
  });
  try {
    await within(Promise.race([entered, ended]));
    // If `work` ends the transaction itself, some libraries resolve before it has returned.
    await worked;
    const result = await within(ended);
    if (thrown !== undefined) throw thrown.error;
    return result;
  } catch (error) {
    isLate = true;
    throw thrown === undefined ? driverErrorOf(error) : thrown.error;
  }
}
