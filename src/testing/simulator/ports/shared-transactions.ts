import type { JsonText } from "../../../contract/operation.js";
import type { Transactions as Port, RecordResult } from "../../../ports/backend.js";
import type { Stage } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/world.js";
import { Suspended } from "./suspended.js";
import type { OpenTransaction } from "./transactions.js";

/** The transactions of a back end as one process sees them. */
export function transactionsOf(
  own: Port<unknown>,
  process: Process,
  { ledger, transactions, extras }: Stage,
): Port<unknown> {
  return {
    record: async (given, create, signal) => {
      const operation = extras.of(given.operation);
      const submission = { ...given, operation };
      const result = await transactions.run({
        process,
        kind: "record",
        name: brief(operation),
        operation,
        start: (work) => own.record(submission, work, signal),
        work: create,
        isCommitted: () => true,
        onCommit: (resource, recorded) => {
          if (recorded.outcome === "created") ledger.recordedWith(operation, resource);
        },
      });
      if (result.outcome === "exists") ledger.readings.seen(result.operation, operation.tenant);
      else ledger.recorded(operation);
      return result;
    },
    settle: (lease, work, ...options) =>
      transactions.run({
        process,
        kind: "settle",
        name: `${short(lease.operationId)} ${lease.token}`,
        // Its lock is the lease, however long it lasts.
        holding: ledger.entries.get(lease.operationId)?.recorded,
        start: (body) => own.settle(lease, body, ...options),
        work,
        isCommitted: ({ outcome }) => outcome === "settled",
        onCommit: (settlement, result) => ledger.settledOnce(lease, settlement, result),
        onUnknown: (settlement) => ledger.mayHaveSettled(lease, settlement),
      }),
    recordIn: async (tx, given, create) => {
      const operation = extras.of(given.operation);
      const submission = { ...given, operation };
      const label = `recordIn(${brief(operation)})`;
      const note = (
        transaction: OpenTransaction,
        result: RecordResult,
        resource?: JsonText,
      ): RecordResult => {
        // Its key may stay locked until the end, whatever the result.
        transaction.holds(operation);
        if (result.outcome === "exists") ledger.readings.seen(result.operation, operation.tenant);
        else if (result.outcome === "created") transaction.records(operation, resource);
        return result;
      };
      if (create === undefined)
        return transactions.within(process, tx, label, async (transaction) =>
          note(transaction, await own.recordIn(tx, submission)),
        );
      const call = new Suspended<JsonText, RecordResult>((work) => own.recordIn(tx, submission, work));
      const begun = await transactions.within(process, tx, label, async (transaction) => {
        transaction.waits((reason) => call.abandon(reason));
        const result = await call.start();
        if (result !== "called") return note(transaction, result);
        transaction.holds(operation);
        return result;
      });
      if (begun !== "called") return begun;
      const resource = await create(tx).catch(async (error: unknown) => {
        await transactions.within(process, tx, `undo(${short(operation.id)})`, () => call.abandon(error));
        throw error;
      });
      return transactions.within(process, tx, `set-resource(${short(operation.id)})`, async (transaction) =>
        note(transaction, await call.resume(resource), resource),
      );
    },
  };
}
