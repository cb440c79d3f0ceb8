import { type Backend, createMemoryStores } from "async-request-reply";
import type {
  ExpiredOperation,
  KeyBinding,
  NewOperation,
  Operation,
  SeparateStores,
  Submissions,
} from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { allOperations } from "../support/all-operations.js";
import { replacing } from "../support/replacing.js";
import { creating, noting } from "./changed-calls.js";
import { inStores } from "./planted-stores.js";

const NEVER_MS = 3_155_760_000_000;

/** Back ends that each make one mistake in the protocol. The simulator must detect all of them. */
export const plantedFaults: Readonly<Record<string, CreateBackend>> = {
  "a store forgets lanes": inStores((store) => ({
    operations: creating(store, ({ lane: _, ...operation }) => operation),
  })),

  "a key outlives its operation": inStores(() => ({ idempotency: { release: async () => {} } })),

  "a key expires before its operation": inStores((_, idempotency, clock) => {
    const boundAt = new Map<string, { readonly binding: KeyBinding; readonly at: number }>();
    return {
      idempotency: {
        bind: async (next) => {
          const name = `${next.tenant} ${next.key}`;
          const last = boundAt.get(name);
          if (last !== undefined && last.at + 60_000 < clock.now()) await idempotency.release(last.binding);
          const result = await idempotency.bind(next);
          if (result.outcome === "bound") boundAt.set(name, { binding: next, at: clock.now() });
          return result;
        },
      },
    };
  }),

  "a purge does not wait for its grace period": inStores((store) => ({
    operations: {
      remove: async (ids) => {
        await store.remove(ids, { afterMs: 0 });
        await store.takeExpired({ limit: 0 });
      },
    },
  })),

  "a failed operation is kept as long as a completed one": inStores((store, _, clock) => ({
    operations: {
      takeExpired: async (request) => {
        const isOver = ({ state, settledAt = 0, retentionMs }: Operation): boolean =>
          state === "failed" && settledAt + retentionMs <= clock.now();
        const failed: readonly ExpiredOperation[] = (await allOperations(store)).filter(isOver);
        return [...(await store.takeExpired(request)), ...failed];
      },
    },
  })),

  "an orphaned binding is released instead of ended": inStores((store, idempotency) => ({
    operations: {
      create: async (operation, initial) => {
        if (initial?.state !== "failed") return store.create(operation, initial);
        const { id, tenant, definition, key = "" } = operation;
        await idempotency.release({ tenant, definition, key, operationId: id });
        return "exists";
      },
    },
    idempotency: {
      // After a second instead of days. This alone breaks no promise, and it makes bindings of slow submissions stale.
      takeStale: ({ limit }) => idempotency.takeStale({ olderThanMs: 1_000, limit }),
    },
  })),

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

  "a settlement is not guarded by its token": inStores((store) => {
    const current = new Map<string, string>();
    return {
      operations: {
        ...noting(store, ({ id }, token) => void current.set(id, token)),
        settle: ({ operationId, token }, settlement) =>
          store.settle({ operationId, token: current.get(operationId) ?? token }, settlement),
      },
    };
  }),

  "a delayed operation is never due": inStores((store) => ({
    operations: creating(store, ({ delayMs, ...operation }) => ({
      ...operation,
      ...(delayMs && { delayMs: NEVER_MS }),
    })),
  })),

  "a resource is created before the operation is recorded": (clock) => {
    const stores = createMemoryStores({ clock });
    const store = stores.operations;
    const unrecorded = new Map<string, NewOperation>();
    const settle: typeof store.settle = async (lease, settlement) => {
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
