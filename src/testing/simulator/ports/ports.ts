import { present } from "../../../contract/options.js";
import type { Backend, Submissions } from "../../../ports/backend.js";
import { composeStores } from "../../../protocol/compose-stores.js";
import type { Stage } from "../stage.js";
import { brief } from "../world/names.js";
import type { Process } from "../world/process.js";
import { minutesOf } from "./minutes.js";
import { outputOf } from "./output.js";
import { ringsOf } from "./rings.js";
import { transactionsOf } from "./shared-transactions.js";
import { idempotencyOf, operationsOf, separateOperationsOf } from "./store-ports.js";
import { synchronousOf } from "./synchronous.js";

/**
 * Wraps a back end for one process of the world. Every call waits until the world runs it, can meet a fault, and is
 * recorded in the ledger.
 */
export function portsOf(stage: Stage, process: Process): Backend {
  const { backend, world, ledger } = stage;
  const queue = ringsOf(stage, process);
  const kept = present({
    output: stage.output && outputOf(stage.output, process, stage),
    minutes: stage.minutes && minutesOf(stage.minutes, process, world),
  });
  if ("submissions" in backend)
    return {
      operations: operationsOf(backend.operations, process, stage),
      ...kept,
      queue,
      submissions: submissionsOf(backend.submissions, process, stage),
      check: () => backend.check(),
      close: () => backend.close(),
    };
  const operations = separateOperationsOf(backend.operations, process, stage);
  const idempotency = idempotencyOf(backend.idempotency, process, world, ledger);
  return composeStores({ operations, idempotency, ...kept, queue }, { clock: world.clockOf(process) });
}

function submissionsOf(own: Submissions<unknown>, process: Process, stage: Stage): Submissions<unknown> {
  const { world, ledger } = stage;
  const transactions = own.transactions && transactionsOf(own.transactions, process, stage);
  const synchronous =
    stage.synchronous && own.synchronous && synchronousOf(own.synchronous, process, stage.synchronous, stage);
  return {
    record: (given) => {
      const submission = { ...given, operation: stage.extras.of(given.operation) };
      const { operation, initial } = submission;
      return world.call(process, `record(${brief(operation)})`, async () => {
        const result = await own.record(submission);
        if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
        else ledger.records.recorded(operation, initial);
        return result;
      });
    },
    recordMany: (given) => {
      const list = given.map((each) => ({ ...each, operation: stage.extras.of(each.operation) }));
      const about = list.map(({ operation }) => brief(operation)).join(", ");
      return world.call(process, `recordMany(${about})`, async () => {
        const results = await own.recordMany(list);
        for (const [index, { operation }] of list.entries()) {
          const result = results[index];
          if (result?.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
          else if (result?.outcome === "created") ledger.records.recorded(operation);
        }
        return results;
      });
    },
    findKey: (key) => world.call(process, `find(${key.tenant}/${key.key})`, () => own.findKey(key)),
    purge: (request) => world.call(process, "purge", () => own.purge(request)),
    ...(transactions === undefined ? {} : { transactions }),
    ...(synchronous === undefined ? {} : { synchronous }),
  };
}
