import { atomicSubmissions, type Backend } from "../../../ports/backend.js";
import type { Consumer, Delivery, Queue, ReceiveRequest } from "../../../ports/queue.js";
import type { Submission } from "../../../ports/submission.js";
import { onAbort } from "../../../ports/waits.js";
import type { Stage, Wakeups } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process, World } from "../world/world.js";
import { transactionsOf } from "./shared-transactions.js";
import { idempotencyOf, operationsOf } from "./store-ports.js";
import { synchronousOf } from "./synchronous.js";

const MAX_WAIT_MS = 20_000;

/**
 * Wraps a back end for one process of the world. Every call waits until the world runs it, can meet a fault, and is
 * recorded in the ledger.
 */
export function portsOf(stage: Stage, process: Process): Backend {
  const { backend, world, ledger } = stage;
  const operations = operationsOf(backend.operations, process, stage);
  const idempotency = idempotencyOf(backend.idempotency, process, world, ledger);
  const ports = {
    operations,
    idempotency,
    queue: queueOf(stage, process),
    check: (): Promise<void> => backend.check(),
    close: (): Promise<void> => backend.close(),
  };
  const own = atomicSubmissions(backend);
  if (own === undefined) return ports;
  const record = (given: Submission): ReturnType<typeof own.record> => {
    const submission = { ...given, operation: stage.extras.of(given.operation) };
    const { operation, initial } = submission;
    return world.call(process, `record(${brief(operation)})`, async () => {
      const result = await own.record(submission);
      if (result.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
      else ledger.recorded(operation, initial);
      return result;
    });
  };
  const { recordMany } = own;
  const recordAll: typeof recordMany = (given) => {
    const list = given.map((each) => ({ ...each, operation: stage.extras.of(each.operation) }));
    const about = list.map(({ operation }) => brief(operation)).join(", ");
    return world.call(process, `recordMany(${about})`, async () => {
      const results = (await recordMany?.call(own, list)) ?? [];
      for (const [index, { operation }] of list.entries()) {
        const result = results[index];
        if (result?.outcome === "exists") ledger.readings.returned(result.operation, operation.tenant);
        else if (result?.outcome === "created") ledger.recorded(operation);
      }
      return results;
    });
  };
  const purge: typeof own.purge = (request) => world.call(process, "purge", () => own.purge(request));
  const transactions = own.transactions && transactionsOf(own.transactions, process, stage);
  const synchronous =
    stage.synchronous && own.synchronous && synchronousOf(own.synchronous, process, stage.synchronous, stage);
  const shared = {
    ...(recordMany === undefined ? {} : { recordMany: recordAll }),
    ...(transactions === undefined ? {} : { transactions }),
    ...(synchronous === undefined ? {} : { synchronous }),
  };
  return { ...ports, submissions: { operations, idempotency, record, purge, ...shared } };
}

function queueOf({ backend: { queue, operations }, world, ledger, wakeups }: Stage, process: Process): Queue {
  const wrap = (delivery: Delivery): Delivery => ({
    ...delivery,
    ack: () => world.call(process, `ack(${short(delivery.announcement.operationId)})`, () => delivery.ack()),
    nack: () =>
      world.call(process, `nack(${short(delivery.announcement.operationId)})`, () => delivery.nack()),
  });
  // Recorded when the receipt happens, not when its answer arrives: the lease is live even if the answer gets lost.
  const received = async (
    consumer: Consumer,
    { token, ...request }: ReceiveRequest,
    leases: ReadonlyMap<string, number>,
  ): Promise<readonly Delivery[]> => {
    // With an aborted signal, the queue returns at once. The waiting happens below, in virtual time.
    const deliveries = await consumer.receive({ ...request, token, signal: AbortSignal.abort() });
    const begun = deliveries.flatMap(({ attempt }) => attempt?.lease.operationId ?? []);
    if (new Set(begun).size < begun.length) ledger.violated("I7", "a receipt began an operation twice");
    const taken = ledger.turns.taken(deliveries.flatMap(({ attempt }) => attempt ?? []));
    for (const { attempt, announcement } of deliveries) {
      if (attempt === undefined) continue;
      const about = `attempt ${attempt.begun.operation.attempt} of ${short(announcement.operationId)}`;
      world.note(`${process.name}: receipt ${token} begins ${about} with token ${attempt.lease.token}`);
      ledger.received(token, attempt, leases.get(announcement.definition) ?? 0);
    }
    ledger.turns.received(process.name, taken);
    for (const { id, tenant } of ledger.readings.endedWhenBegun())
      ledger.readings.read(id, tenant, await operations.get(id, tenant));
    return deliveries;
  };
  const consume: Queue["consume"] = ({ definitions }) => {
    const consumer = queue.consume({ definitions });
    const leases = new Map(definitions.map(({ name, leaseMs }) => [name, leaseMs]));
    const ask = async (request: ReceiveRequest): Promise<readonly Delivery[]> => {
      const deliveries = await world.call(process, "receive", () => received(consumer, request, leases));
      // Checked only when the answer arrives, because a worker never receives the answer to a late call.
      ledger.receipts.delivered(request.token, deliveries);
      return deliveries.map(wrap);
    };
    return {
      receive: async (request) => {
        const deliveries = await ask(request);
        // An empty answer makes the worker call again with another token, because this token has been answered.
        if (deliveries.length === 0) await wakeUp(request.signal, process, world, wakeups);
        return deliveries;
      },
      close: () => world.call(process, "close", () => consumer.close()),
    };
  };
  return {
    publish: (announcements) =>
      world.call(
        process,
        `publish(${announcements.map(({ operationId }) => short(operationId))})`,
        async () => {
          await queue.publish(announcements);
          for (const wake of wakeups) wake();
        },
      ),
    consume,
    close: () => queue.close(),
  };
}

/** Resolves when an announcement is published, the signal aborts, or `MAX_WAIT_MS` have passed. */
function wakeUp(signal: AbortSignal, process: Process, world: World, wakeups: Wakeups): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = (): void => {
      cancel();
      wakeups.delete(wake);
      forget();
      world.deliver(process, resolve);
    };
    const cancel = world.clockOf(process).schedule(MAX_WAIT_MS, wake);
    wakeups.add(wake);
    const forget = onAbort(signal, wake);
  });
}
