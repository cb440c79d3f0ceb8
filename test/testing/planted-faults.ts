import {
  type Backend,
  createMemoryStores,
  type IdempotencyStore,
  type OperationStore,
} from "async-request-reply";
import type {
  ExpiredOperation,
  KeyBinding,
  NewOperation,
  Operation,
  SeparateOperationStore,
  SeparateStores,
  Submissions,
} from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { allOperations } from "../support/all-operations.js";
import { replacing } from "../support/replacing.js";
import { noting } from "./changed-claims.js";

const NEVER_MS = 3_155_760_000_000;

/** Back ends that each make one mistake in the protocol. The simulator must detect all of them. */
export const plantedFaults: Readonly<Record<string, CreateBackend>> = {
  "a store forgets lanes": (clock) => {
    const stores = createMemoryStores({ clock });
    const { operations } = stores;
    const create: OperationStore["create"] = ({ lane: _, ...operation }, initial) =>
      operations.create(operation, initial);
    return { ...stores, operations: replacing(operations, { create }) };
  },

  "a key outlives its operation": (clock) => {
    const stores = createMemoryStores({ clock });
    return { ...stores, idempotency: replacing(stores.idempotency, { release: async () => {} }) };
  },

  "a key expires before its operation": (clock) => {
    const stores = createMemoryStores({ clock });
    const boundAt = new Map<string, { readonly binding: KeyBinding; readonly at: number }>();
    const bind = async (next: KeyBinding): ReturnType<IdempotencyStore["bind"]> => {
      const name = `${next.tenant} ${next.key}`;
      const last = boundAt.get(name);
      if (last !== undefined && last.at + 60_000 < clock.now())
        await stores.idempotency.release(last.binding);
      const result = await stores.idempotency.bind(next);
      if (result.outcome === "bound") boundAt.set(name, { binding: next, at: clock.now() });
      return result;
    };
    return { ...stores, idempotency: replacing(stores.idempotency, { bind }) };
  },

  "a purge does not wait for its grace period": (clock) => {
    const stores = createMemoryStores({ clock });
    const remove = async (ids: readonly string[]): Promise<void> => {
      await stores.operations.remove(ids, { afterMs: 0 });
      await stores.operations.takeExpired({ limit: 0 });
    };
    return { ...stores, operations: replacing(stores.operations, { remove }) };
  },

  "a failed operation is kept as long as a completed one": (clock) => {
    const stores = createMemoryStores({ clock });
    const { operations } = stores;
    const takeExpired: SeparateOperationStore["takeExpired"] = async (request) => {
      const isOver = ({ state, settledAt = 0, retentionMs }: Operation): boolean =>
        state === "failed" && settledAt + retentionMs <= clock.now();
      const failed: readonly ExpiredOperation[] = (await allOperations(operations)).filter(isOver);
      return [...(await operations.takeExpired(request)), ...failed];
    };
    return { ...stores, operations: replacing(operations, { takeExpired }) };
  },

  "an orphaned binding is released instead of ended": (clock) => {
    const stores = createMemoryStores({ clock });
    const create: OperationStore["create"] = async (operation, initial) => {
      if (initial?.state !== "failed") return stores.operations.create(operation, initial);
      const { id, tenant, definition, key = "" } = operation;
      await stores.idempotency.release({ tenant, definition, key, operationId: id });
      return "exists";
    };
    // After a second instead of days. This alone breaks no promise, and it makes bindings of slow submissions stale.
    const takeStale: IdempotencyStore["takeStale"] = ({ limit }) =>
      stores.idempotency.takeStale({ olderThanMs: 1_000, limit });
    return {
      ...stores,
      operations: replacing(stores.operations, { create }),
      idempotency: replacing(stores.idempotency, { takeStale }),
    };
  },

  "the key is bound after the operation is created": (clock) => {
    const stores = createMemoryStores({ clock });
    const { operations, idempotency } = stores;
    return recordingBy(stores, async ({ operation, fingerprint, initial }) => {
      const { id, tenant, definition, key = "" } = operation;
      await operations.create(operation, initial);
      const binding = await idempotency.bind({ tenant, definition, key, fingerprint, operationId: id });
      const winner =
        binding.outcome === "exists" ? await operations.get(binding.operationId, tenant) : undefined;
      return winner === undefined || binding.outcome === "bound"
        ? { outcome: "created" }
        : { outcome: "exists", operation: winner, fingerprint: binding.fingerprint };
    });
  },

  "a settlement is not guarded by its token": (clock) => {
    const stores = createMemoryStores({ clock });
    const current = new Map<string, string>();
    const claim = noting(stores.operations, ({ id }, token) => void current.set(id, token));
    const settle: OperationStore["settle"] = ({ operationId, token }, settlement) =>
      stores.operations.settle({ operationId, token: current.get(operationId) ?? token }, settlement);
    return { ...stores, operations: replacing(stores.operations, { claim, settle }) };
  },

  "a delayed operation is never due": (clock) => {
    const stores = createMemoryStores({ clock });
    const create: OperationStore["create"] = ({ delayMs, ...operation }, initial) =>
      stores.operations.create({ ...operation, ...(delayMs && { delayMs: NEVER_MS }) }, initial);
    return { ...stores, operations: replacing(stores.operations, { create }) };
  },

  "a resource is created before the operation is recorded": (clock) => {
    const stores = createMemoryStores({ clock });
    const store = stores.operations;
    const unrecorded = new Map<string, NewOperation>();
    const settle: OperationStore["settle"] = async (lease, settlement) => {
      const operation = unrecorded.get(lease.token);
      if (operation === undefined) return store.settle(lease, settlement);
      if (settlement.to !== "prepared") return { outcome: "settled", state: "preparing" };
      await store.create(operation, { state: "preparing", token: lease.token, leaseMs: 30_000 });
      return store.settle(lease, settlement);
    };
    const operations = replacing(store, { settle });
    return recordingBy({ ...stores, operations }, async ({ operation, initial }) => {
      if (initial === undefined) await store.create(operation);
      else unrecorded.set(initial.token, operation);
      return { outcome: "created" };
    });
  },
};

/** Returns a back end that records each submission in its own way. */
function recordingBy(
  { operations, idempotency, queue }: SeparateStores,
  record: Submissions<unknown>["record"],
): Backend {
  return {
    operations,
    submissions: {
      record,
      recordMany: (list) => Promise.all(list.map(record)),
      findKey: (reference) => idempotency.find(reference),
      purge: async () => 0,
    },
    queue,
    check: async () => {},
    close: () => queue.close(),
  };
}
