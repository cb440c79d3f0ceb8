import type { NewOperation, Operation } from "../../core/operation.js";
import { atomicSubmissions, type Backend, type Submission } from "../../ports/backend.js";
import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { BegunAttempt, Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import type { Ledger } from "./ledger.js";
import type { Process, World } from "./world.js";

const LOOK_AGAIN_MS = 20_000;

/** The wake-ups of those who wait for announcements, in all processes of a world. */
export type Wakeups = Set<() => void>;

/** A back end as one process of the world sees it: every call takes its turn and its risk, and the ledger watches. */
export function portsOf(
  backend: Backend,
  process: Process,
  world: World,
  ledger: Ledger,
  wakeups: Wakeups,
): Backend {
  const operations = operationsOf(backend.operations, process, world, ledger);
  const idempotency = idempotencyOf(backend.idempotency, process, world);
  const queue = queueOf(backend, process, world, ledger, wakeups);
  const own = atomicSubmissions(backend);
  const close = (): Promise<void> => backend.close();
  if (own === undefined) return { operations, idempotency, queue, close };
  const record = (submission: Submission): ReturnType<typeof own.record> =>
    world.call(process, `record(${brief(submission.operation)})`, async () => {
      const result = await own.record(submission);
      const { operation, initial } = submission;
      if (result.outcome === "exists") ledger.seen(result.operation);
      else ledger.recorded(operation, initial?.state ?? "pending", initial);
      return result;
    });
  const purge: typeof own.purge = (request) => world.call(process, "purge", () => own.purge(request));
  return { operations, idempotency, queue, submissions: { operations, idempotency, record, purge }, close };
}

function operationsOf(store: OperationStore, process: Process, world: World, ledger: Ledger): OperationStore {
  return {
    create: (operation, initial) =>
      world.call(process, `create(${brief(operation)} ${initial?.state ?? ""})`, async () => {
        const outcome = await store.create(operation, initial);
        const lease = initial?.state === "preparing" ? initial : undefined;
        if (outcome === "created") ledger.created(operation, initial?.state ?? "pending", lease);
        return outcome;
      }),
    get: (id, scope) =>
      world.call(process, `get(${short(id)})`, async () => {
        const operation: Operation | undefined = await store.get(id, scope);
        ledger.seen(operation);
        return operation;
      }),
    beginAttempt: (id, lease) =>
      world.call(process, `beginAttempt(${short(id)} ${lease.token})`, async () => {
        const result = await store.beginAttempt(id, lease);
        ledger.begun(id, lease, result);
        return result;
      }),
    renew: (lease, change) =>
      world.call(process, `renew(${short(lease.operationId)} ${lease.token})`, async () => {
        const result = await store.renew(lease, change);
        ledger.renewed(lease, change.leaseMs, result);
        return result;
      }),
    settle: (lease, settlement, then) =>
      world.call(process, `settle(${short(lease.operationId)} ${lease.token} ${settlement.to})`, async () => {
        const result = await store.settle(lease, settlement, then);
        ledger.settled(lease, settlement, result);
        return result;
      }),
    requestCancel: (id, scope) =>
      world.call(process, `requestCancel(${short(id)})`, async () => {
        const outcome = await store.requestCancel(id, scope);
        ledger.cancelled(id, outcome);
        return outcome;
      }),
    takeDue: (request) => world.call(process, "takeDue", () => store.takeDue(request)),
    takeExpired: (request) => world.call(process, "takeExpired", () => store.takeExpired(request)),
    remove: (ids, options) =>
      world.call(process, `remove(${ids.map(short)})`, () => store.remove(ids, options)),
  };
}

function idempotencyOf(store: IdempotencyStore, process: Process, world: World): IdempotencyStore {
  return {
    claim: (claim) =>
      world.call(process, `claim(${claim.scope}/${claim.key} ${short(claim.operationId)})`, () =>
        store.claim(claim),
      ),
    release: (owner) =>
      world.call(process, `release(${owner.scope}/${owner.key} ${short(owner.operationId)})`, () =>
        store.release(owner),
      ),
    takeStale: (request) => world.call(process, "takeStale", () => store.takeStale(request)),
  };
}

function queueOf(
  { queue, operations }: Backend,
  process: Process,
  world: World,
  ledger: Ledger,
  wakeups: Wakeups,
): Queue {
  const wrap = (delivery: Delivery): Delivery => ({
    ...delivery,
    ack: () => world.call(process, `ack(${short(delivery.announcement.operationId)})`, () => delivery.ack()),
    nack: () =>
      world.call(process, `nack(${short(delivery.announcement.operationId)})`, () => delivery.nack()),
  });
  // Told at the receipt: an attempt has begun and keeps others away, also when the answer never gets to the worker.
  const begins = (attempt: BegunAttempt, leaseMs: number): void => {
    const { lease, begun } = attempt;
    const about = `attempt ${begun.operation.attempt} of ${short(lease.operationId)}`;
    world.note(`${process.name}: begins ${about} with the receipt, as ${lease.token}`);
    ledger.received(attempt, leaseMs);
  };
  // The waiting is the world's, so that a call never lasts: asked with an aborted signal a queue gives what it has.
  const ask = (request: ReceiveRequest): Promise<readonly Delivery[]> =>
    world.call(process, "receive", async () => {
      const deliveries = await queue.receive({ ...request, signal: AbortSignal.abort() });
      for (const { attempt } of deliveries) if (attempt !== undefined) begins(attempt, request.leaseMs);
      for (const { id, scope } of ledger.endedByBeginning()) ledger.seen(await operations.get(id, scope));
      return deliveries.map(wrap);
    });
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
    receive: async (request) => {
      for (;;) {
        const deliveries = await ask(request);
        if (deliveries.length > 0 || request.signal.aborted) return deliveries;
        await somethingNew(request.signal, process, world, wakeups);
      }
    },
  };
}

function somethingNew(signal: AbortSignal, process: Process, world: World, wakeups: Wakeups): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      wakeups.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = world.clockOf(process).schedule(LOOK_AGAIN_MS, wake);
    wakeups.add(wake);
    signal.addEventListener("abort", wake);
  });
}

function brief({ id, scope, key }: NewOperation): string {
  return `${scope}/${key ?? "-"} ${short(id)}`;
}

function short(id: string): string {
  return id.slice(-4);
}
