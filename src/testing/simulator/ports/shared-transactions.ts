import type { Settlement } from "../../../contract/operation.js";
import { present } from "../../../contract/options.js";
import type { Transactions as Port } from "../../../ports/backend.js";
import type { Lease, SettleResult } from "../../../ports/operation-store.js";
import type { OutputAppend } from "../../../ports/output-store.js";
import type { Stage } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/process.js";
import { recordInOf, recordManyInOf } from "./record-in.js";
import type { TransactionParts } from "./transaction.js";

/** Wraps the transactions of a back end for one process. */
export function transactionsOf(own: Port<unknown>, process: Process, stage: Stage): Port<unknown> {
  const { ledger, transactions, extras } = stage;
  const recordManyIn = recordManyInOf(own, process, stage);
  const append = appendOf(own, process, stage);
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
          if (recorded.outcome === "created") ledger.records.recordedWith(operation, resource);
        },
        onUnknown: (resource) => ledger.records.mayHaveRecorded(operation, resource),
      });
      if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
      else ledger.records.recorded(operation);
      return result;
    },
    settle: (lease, work, { output, ...options } = {}) => {
      let written: OutputAppend | undefined;
      return transactions.run<Settlement, SettleResult>({
        process,
        kind: "settle",
        ...aboutAttempt(lease, stage),
        start: (body) => own.settle(lease, body, { ...options, ...(output && { output: () => written }) }),
        work: async (tx) => {
          const settlement = await work(tx);
          // Before the commit, because a caller that got an error before a late one has dropped what it wrote.
          written = output?.();
          return settlement;
        },
        isCommitted: ({ outcome }) => outcome === "settled",
        onCommit: (settlement, result) => {
          if (written !== undefined) ledger.appended(written, "stored");
          ledger.settledOnce(lease, settlement, result);
        },
        onUnknown: (settlement) => {
          if (written !== undefined) ledger.mayHaveAppended(written);
          ledger.mayHaveSettled(lease, settlement);
        },
      });
    },
    recordIn: recordInOf(own, process, stage),
    ...present({ append, recordManyIn }),
  };
}

/** Wraps `append` for one process. Returns undefined if the back end has none. */
function appendOf({ append }: Port<unknown>, process: Process, stage: Stage): Port<unknown>["append"] {
  if (append === undefined) return undefined;
  const { ledger, transactions } = stage;
  return (lease, work, options) =>
    transactions.run({
      process,
      kind: "append",
      ...aboutAttempt(lease, stage),
      start: (body) => append(lease, body, options),
      work,
      isCommitted: (result) => result === "stored",
      onCommit: (written, result) => ledger.appended(written, result),
      onUnknown: (written) => ledger.mayHaveAppended(written),
    });
}

/** Other submissions wait until the transaction of an attempt ends, even if the lease expires first. */
function aboutAttempt(
  { operationId, token }: Lease,
  { ledger }: Stage,
): Pick<TransactionParts<unknown, unknown>, "name" | "holding"> {
  return { name: `${short(operationId)} ${token}`, holding: ledger.entries.get(operationId)?.recorded };
}
