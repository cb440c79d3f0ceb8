import type { Operation } from "../../../contract/operation.js";
import type { IdempotencyStore } from "../../../ports/idempotency-store.js";
import type { OperationStore } from "../../../ports/operation-store.js";
import type { SeparateOperationStore } from "../../../ports/separate-operation-store.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Stage } from "../stage.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/process.js";
import type { World } from "../world/world.js";
import { claimsOf } from "./claims.js";

/** One of this many notifications of changes gets lost. */
const LOST_CHANGE = 3;

/** Wraps an operation store for one process of the world. */
export function operationsOf(store: OperationStore, process: Process, stage: Stage): OperationStore {
  const { world, ledger, extras } = stage;
  const redrive: OperationStore["redrive"] = (id, successor) =>
    world.call(process, `redrive(${short(id)} ${short(successor.id)})`, async () => {
      ledger.redrives.requested(successor);
      const result = await store.redrive(id, successor);
      ledger.redrives.redriven(id, result);
      return result;
    });
  const readMany: OperationStore["getMany"] = (ids) =>
    world.call(process, `getMany(${ids.map(short)})`, async () => {
      const found = await store.getMany(ids);
      ledger.readings.readMany(ids, found);
      return found;
    });
  const readPage: OperationStore["list"] = (request) =>
    world.call(process, `list(${JSON.stringify(request)})`, async () => {
      const page = await store.list(request);
      ledger.listings.read(request, page);
      return page;
    });
  const count: OperationStore["countPending"] = (requests) =>
    world.call(process, "countPending", () => store.countPending(requests));
  const pausing: OperationStore["pause"] = (definition, by) =>
    world.call(process, `pause(${definition})`, async () => {
      await store.pause(definition, by);
      ledger.pauses.paused(definition);
    });
  const resuming: OperationStore["resume"] = (definition) =>
    world.call(process, `resume(${definition})`, async () => {
      ledger.pauses.resumed(definition);
      await store.resume(definition);
    });
  const endingOverdue: OperationStore["endOverdue"] = (request) =>
    world.call(process, "endOverdue", async () => {
      const ended = await store.endOverdue(request);
      ledger.deadlines.swept(request.limit, ended);
      return ended;
    });
  return {
    // All histories have limits and lanes. The ledger knows whether the store keeps them.
    keeps: ["deadlines", "lanes", "limits"],
    redrive,
    getMany: readMany,
    list: readPage,
    stats: (request) => world.call(process, "stats", () => store.stats(request)),
    countPending: count,
    pause: pausing,
    resume: resuming,
    endOverdue: endingOverdue,
    watch: (onChange) => watchSome(process, world, ledger.entries.watchers, onChange),
    watchCancellations: (onRequest) => watchSome(process, world, ledger.entries.cancelWatchers, onRequest),
    create: (given, initial) => {
      const operation = extras.of(given);
      return world.call(process, `create(${brief(operation)} ${initial?.state ?? ""})`, async () => {
        const outcome = await store.create(operation, initial);
        if (outcome === "created") ledger.records.created(operation, initial);
        return outcome;
      });
    },
    get: (id, tenant) =>
      world.call(process, `get(${short(id)})`, async () => {
        const operation: Operation | undefined = await store.get(id, tenant);
        ledger.readings.read(id, tenant, operation);
        return operation;
      }),
    claim: claimsOf(store, process, stage),
    renew: (lease, change) =>
      world.call(process, `renew(${short(lease.operationId)} ${lease.token})`, async () => {
        const result = await store.renew(lease, change).catch((error: unknown) => {
          ledger.mayHaveRenewed(lease, change);
          throw error;
        });
        ledger.renewed(lease, change, result);
        return result;
      }),
    settle: (lease, settlement) =>
      world.call(process, `settle(${short(lease.operationId)} ${lease.token} ${settlement.to})`, async () => {
        const result = await store.settle(lease, settlement).catch((error: unknown) => {
          ledger.mayHaveSettled(lease, settlement);
          throw error;
        });
        ledger.settled(lease, settlement, result);
        return result;
      }),
    requestCancel: (id, tenant) =>
      world.call(process, `requestCancel(${short(id)})`, async () => {
        const outcome = await store.requestCancel(id, tenant);
        ledger.cancelled(id, tenant, outcome);
        return outcome;
      }),
  };
}

/** Wraps a store whose keys another store keeps. */
export function separateOperationsOf(
  store: SeparateOperationStore,
  process: Process,
  stage: Stage,
): SeparateOperationStore {
  const { world, ledger } = stage;
  return {
    ...operationsOf(store, process, stage),
    takeExpired: (request) =>
      world.call(process, "takeExpired", async () => {
        const taken = await store.takeExpired(request);
        ledger.handOuts.expired(request.limit, taken);
        return taken;
      }),
    remove: (ids, options) =>
      world.call(process, `remove(${ids.map(short)})`, () => store.remove(ids, options)),
  };
}

/** Wraps an idempotency store for one process of the world. */
export function idempotencyOf(
  store: IdempotencyStore,
  process: Process,
  world: World,
  ledger: Ledger,
): IdempotencyStore {
  const finding: IdempotencyStore["find"] = (key) =>
    world.call(process, `find(${key.tenant}/${key.key})`, () => store.find(key));
  return {
    find: finding,
    bind: (binding) =>
      world.call(
        process,
        `bind(${binding.tenant}/${binding.key} ${short(binding.operationId)})`,
        async () => {
          const result = await store.bind(binding);
          ledger.readings.bound(binding, result);
          return result;
        },
      ),
    release: (owner) =>
      world.call(process, `release(${owner.tenant}/${owner.key} ${short(owner.operationId)})`, () =>
        store.release(owner),
      ),
    takeStale: (request) => world.call(process, "takeStale", () => store.takeStale(request)),
  };
}

/** Reports changes like a store, but on the time of the world. Notifications are hints, so some get lost. */
export function watchSome(
  process: Process,
  world: Stage["world"],
  watchers: Set<(id: string) => void>,
  onChange: (id: string) => void,
): () => void {
  let changes = 0;
  const watcher = (id: string): void => {
    changes += 1;
    if (!process.dead && changes % LOST_CHANGE !== 0) world.deliver(process, () => onChange(id));
  };
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
