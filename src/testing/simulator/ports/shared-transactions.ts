import type { Transactions as Port } from "../../../ports/backend.js";
import type { Stage } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/world.js";
import { recordInOf, recordManyInOf } from "./record-in.js";

/** Wraps the transactions of a back end for one process. */
export function transactionsOf(own: Port<unknown>, process: Process, stage: Stage): Port<unknown> {
  const { ledger, transactions, extras } = stage;
  const recordManyIn = recordManyInOf(own, process, stage);
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
        onUnknown: (resource) => ledger.mayHaveRecorded(operation, resource),
      });
      if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
      else ledger.recorded(operation);
      return result;
    },
    settle: (lease, work, ...options) =>
      transactions.run({
        process,
        kind: "settle",
        name: `${short(lease.operationId)} ${lease.token}`,
        // Other submissions wait until the transaction ends, even if the lease expires first.
        holding: ledger.entries.get(lease.operationId)?.recorded,
        start: (body) => own.settle(lease, body, ...options),
        work,
        isCommitted: ({ outcome }) => outcome === "settled",
        onCommit: (settlement, result) => ledger.settledOnce(lease, settlement, result),
        onUnknown: (settlement) => ledger.mayHaveSettled(lease, settlement),
      }),
    recordIn: recordInOf(own, process, stage),
    ...(recordManyIn === undefined ? {} : { recordManyIn }),
  };
}
