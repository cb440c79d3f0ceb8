import { AsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { holds, settle } from "../../engine/entry.js";
import { append, type OutputTable } from "../../engine/output.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { AppendResult, OutputAppend } from "../../ports/output-store.js";
import type { Runtime } from "../../ports/runtime.js";
import type { SynchronousTransactions } from "../../ports/synchronous.js";
import { settlementRefused } from "../shared/settlement-refused.js";
import { transactionEnded } from "../shared/transaction-ended.js";
import type { Connection } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import { toStoreError } from "./connection/store-error.js";
import { hashKey } from "./records/keys.js";
import type { RecordIn } from "./records/record-in.js";
import type { SqliteTable } from "./records/table.js";

/** Options of {@link createTransactions}. */
export interface TransactionsOptions {
  /** Handle that the work of a user gets. */
  readonly database: unknown;
  readonly connection: Pick<Connection, "read" | "writeAlone">;
  readonly statements: Statements;
  readonly table: SqliteTable;
  readonly outputs: OutputTable;
  /** Records a submission in a transaction of the user. */
  readonly recordIn: RecordIn;
  readonly hash: Runtime["hash"];
}

const LOST: SettleResult = { outcome: "lost" };
/** Thrown to roll back a transaction. */
const ROLL_BACK = new AsyncReplyError("LEASE_LOST", "The output is another one.");

type HeldEntry = NonNullable<ReturnType<SqliteTable["findHeld"]>>;

/** Creates transactions that commit the user's writes together with the operation's, on the back end's connection. */
export function createTransactions(options: TransactionsOptions): SynchronousTransactions {
  const { database, connection, statements, table, outputs, recordIn, hash } = options;

  /** Runs a transaction of an attempt. Returns `lost`, and does not call `work`, if another attempt has begun. */
  async function whileHeld<Produced, Result>(
    { operationId, token }: Lease,
    work: (handle: unknown) => Produced,
    signal: AbortSignal | undefined,
    finish: (produced: Produced, entry: HeldEntry) => Result,
  ): Promise<Result | "lost"> {
    let thrown: { readonly error: unknown } | undefined;
    const run = (): Produced => {
      try {
        return guarded(statements, () => work(database));
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      return await connection.writeAlone(() => {
        const entry = table.findHeld(operationId);
        if (entry === undefined || !holds(entry, token)) return "lost";
        return finish(run(), entry);
      }, signal);
    } catch (error) {
      if (error === ROLL_BACK) return "lost";
      throw thrown === undefined ? error : thrown.error;
    }
  }

  function appendOrRefuse(output: OutputAppend): AppendResult {
    const result = orRefuse(() => append(outputs, output));
    if (result === "lost") throw ROLL_BACK;
    return result;
  }

  return {
    settle: async (lease, work, { signal, output } = {}) => {
      const { operationId, token } = lease;
      const settled = await whileHeld(lease, work, signal, (settlement, entry) => {
        const written = output?.();
        if (written !== undefined) appendOrRefuse(written);
        return settleTaken(settlement, statements, (taken) => {
          const held = table.findHeld(operationId) ?? entry;
          return table.applyHeld(held, (now) => settle(held, now, token, taken));
        });
      });
      return settled === "lost" ? LOST : settled;
    },
    append: (lease, work, { signal } = {}) => whileHeld(lease, work, signal, appendOrRefuse),
    prepare: async (submission) => {
      const { tenant, definition, key } = submission.operation;
      const hashed = key === undefined ? undefined : await hashKey({ tenant, definition, key }, hash);
      // The first use creates the tables, which is not possible in a transaction of the user.
      await connection.read(() => undefined);
      return { record: (handle) => recordIn(handle, submission, hashed) };
    },
  };
}

/** Runs the user's function in an open transaction. Throws `INVALID_OPTION` if it has ended that transaction. */
function guarded<Result>(statements: Statements, work: () => Result): Result {
  let isDone = false;
  try {
    return statements.nested(() => {
      const result = work();
      isDone = true;
      return result;
    });
  } catch (error) {
    throw isDone ? transactionEnded(error) : error;
  }
}

/**
 * Settles, without the progress if the database refuses it.
 *
 * Throws `INVALID_RESULT` if it refuses the rest.
 */
function settleTaken(
  settlement: Settlement,
  statements: Statements,
  settleAs: (settlement: Settlement) => SettleResult,
): SettleResult {
  if (settlement.to === "prepared" || settlement.progress === undefined)
    return orRefuse(() => settleAs(settlement));
  try {
    return statements.nested(() => settleAs(settlement));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { progress: _, ...rest } = settlement;
    return orRefuse(() => settleAs(rest));
  }
}

function orRefuse<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw isRefusal(error) ? settlementRefused(error) : error;
  }
}

function isRefusal(error: unknown): boolean {
  return toStoreError(error, "no").code === "INTERNAL";
}
