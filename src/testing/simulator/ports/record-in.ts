import type { JsonText } from "../../../contract/operation.js";
import type { Transactions as Port } from "../../../ports/backend.js";
import type { RecordManyResult, RecordResult } from "../../../ports/submission.js";
import type { Stage } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/process.js";
import { Suspended } from "./suspended.js";
import type { OpenTransaction } from "./transactions.js";

/**
 * Wraps `recordIn` for one process. If the operation has a resource, `recordIn` is two statements, and the user's
 * `create` runs between them.
 */
export function recordInOf(
  own: Port<unknown>,
  process: Process,
  { ledger, transactions, extras }: Stage,
): Port<unknown>["recordIn"] {
  return async (tx, given, create) => {
    const submission = { ...given, operation: extras.of(given.operation) };
    const { operation } = submission;
    const statement = <T>(name: string, run: (transaction: OpenTransaction) => Promise<T>): Promise<T> =>
      transactions.within(process, tx, name, run);

    function note(transaction: OpenTransaction, result: RecordResult, resource?: JsonText): RecordResult {
      // The key may stay locked until the transaction ends, with any result.
      transaction.holds(operation);
      if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
      else if (result.outcome === "created") transaction.records(operation, resource);
      return result;
    }

    const label = `recordIn(${brief(operation)})`;
    if (create === undefined)
      return statement(label, async (transaction) => note(transaction, await own.recordIn(tx, submission)));
    const call = new Suspended<JsonText, RecordResult>((work) => own.recordIn(tx, submission, work));
    const begun = await statement(label, async (transaction) => {
      transaction.onRollBack((reason) => call.abandon(reason));
      const result = await call.start();
      if (result !== "called") return note(transaction, result);
      transaction.holds(operation);
      return result;
    });
    if (begun !== "called") return begun;
    const resource = await create(tx).catch(async (error: unknown) => {
      await statement(`undo(${short(operation.id)})`, () => call.abandon(error));
      throw error;
    });
    return statement(`set-resource(${short(operation.id)})`, async (transaction) =>
      note(transaction, await call.resume(resource), resource),
    );
  };
}

/** Wraps `recordManyIn` for one process. Returns undefined if the back end has none. */
export function recordManyInOf(
  { recordManyIn }: Port<unknown>,
  process: Process,
  { ledger, transactions, extras }: Stage,
): Port<unknown>["recordManyIn"] {
  if (recordManyIn === undefined) return undefined;
  return (tx, given) => {
    const list = given.map((each) => ({ ...each, operation: extras.of(each.operation) }));
    const label = `recordManyIn(${list.map(({ operation }) => brief(operation)).join(", ")})`;
    return transactions.within(process, tx, label, async (transaction) => {
      const results = await recordManyIn(tx, list);
      for (const [index, { operation }] of list.entries()) {
        const result = results[index] as RecordManyResult;
        transaction.holds(operation);
        if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
        else if (result.outcome === "created") transaction.records(operation);
      }
      return results;
    });
  };
}
