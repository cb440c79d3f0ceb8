import {
  type Backend,
  createMemoryBackend,
  createMemoryStores,
  type OperationStore,
} from "async-request-reply";
import type { JsonText, Operation, Submissions } from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { replacing } from "../support/replacing.js";

/** A back end with one mistake, and the violation that the simulator must report. */
interface PlantedReading {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Back ends that return wrong values, or operations of another tenant. */
export const plantedReadings: Readonly<Record<string, PlantedReading>> = {
  "every result is null": settling((settlement) =>
    settlement.to === "completed" ? { ...settlement, result: "null" } : settlement,
  ),

  "an operation has the result of another one": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      let last: JsonText | undefined;
      const settle: OperationStore["settle"] = (lease, settlement) => {
        if (settlement.to !== "completed") return backend.operations.settle(lease, settlement);
        const result = last ?? settlement.result ?? "null";
        last = settlement.result;
        return backend.operations.settle(lease, { ...settlement, result });
      };
      return withStore(backend, { settle });
    },
    violation: /I8: .* was read/,
  },

  "every error is the same": settling((settlement) =>
    settlement.to === "failed"
      ? { ...settlement, error: JSON.stringify({ type: "about:blank", title: "Failed" }) }
      : settlement,
  ),

  "the resource of a 201 is replaced": settling((settlement) =>
    settlement.to === "prepared"
      ? { ...settlement, resource: JSON.stringify({ body: { order: "another" } }) }
      : settlement,
  ),

  "a repeated settlement replaces the result": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const settled = new Set<string>();
      const replaced = new Set<string>();
      const settle: OperationStore["settle"] = async (lease, settlement) => {
        const answer = await backend.operations.settle(lease, settlement);
        if (answer.outcome === "settled" && settled.has(lease.token)) replaced.add(lease.operationId);
        settled.add(lease.token);
        return answer;
      };
      const { get } = reading(backend, (operation) =>
        operation.result === undefined || !replaced.has(operation.id)
          ? operation
          : { ...operation, result: '"again"' },
      );
      return withStore(backend, { settle, get });
    },
    violation: /I8: .* was read/,
  },

  "a read returns the first progress instead of the latest": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const first = new Map<string, JsonText>();
      return withStore(
        backend,
        reading(backend, (operation) => {
          const { id, progress } = operation;
          if (progress === undefined) return operation;
          const known = first.get(id) ?? progress;
          first.set(id, known);
          return { ...operation, progress: known };
        }),
      );
    },
    violation: /I8: .* was read/,
  },

  "the progress of a settlement is lost": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const settle: OperationStore["settle"] = (lease, settlement) => {
        if (settlement.to === "prepared") return backend.operations.settle(lease, settlement);
        const { progress: _, ...rest } = settlement;
        return backend.operations.settle(lease, rest);
      };
      return withStore(backend, { settle });
    },
    violation: /I8: .* was read/,
  },

  "a requested cancellation is not shown": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const hide = <Read extends Operation | undefined>(operation: Read): Read => {
        if (operation?.cancelRequested === undefined) return operation;
        const { cancelRequested: _, ...shown } = operation;
        return shown as Read;
      };
      return withStore(backend, {
        get: async (id, tenant) => hide(await backend.operations.get(id, tenant)),
      });
    },
    violation: /I8: .* was read/,
  },

  "progress is lost": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const renew: OperationStore["renew"] = (lease, { progress: _, ...change }) =>
        backend.operations.renew(lease, change);
      return withStore(backend, { renew });
    },
    violation: /I8: .* was read/,
  },

  "a read names another principal": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      return withStore(
        backend,
        reading(backend, (operation) => ({ ...operation, principal: operation.tenant })),
      );
    },
    violation: /I8: .* was read with principal tenant-/,
  },

  "a submission replaces the principal of its key's operation": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const { submissions } = backend;
      const last = new Map<string, string | undefined>();
      const record: Submissions<never>["record"] = async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome === "exists") last.set(result.operation.id, submission.operation.principal);
        return result;
      };
      const operations = replacing(
        backend.operations,
        reading(backend, (operation) => {
          const principal = last.get(operation.id) ?? operation.principal;
          return principal === undefined ? operation : { ...operation, principal };
        }),
      );
      return { ...backend, operations, submissions: replacing(submissions, { record }) };
    },
    violation: /I8: .* was read with principal client-/,
  },

  "a read names no principal": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      return withStore(
        backend,
        reading(backend, ({ principal: _, ...operation }) => operation),
      );
    },
    violation: /I8: .* was read with principal undefined/,
  },

  "the time of creation changes": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      return withStore(
        backend,
        reading(backend, (operation) => ({ ...operation, createdAt: clock.now() })),
      );
    },
    violation: /I8: .* was created at/,
  },

  "the time of the end changes": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      return withStore(
        backend,
        reading(backend, (operation) =>
          operation.settledAt === undefined ? operation : { ...operation, settledAt: clock.now() },
        ),
      );
    },
    violation: /I8: .* ended at .* and at/,
  },

  "reading ignores the tenant": tenantless((store) => ({
    get: async (id) => (await listed(store, id)) ?? undefined,
  })),

  "cancelling ignores the tenant": tenantless((store) => ({
    requestCancel: async (id, tenant) => {
      const operation = await listed(store, id);
      return store.requestCancel(id, operation?.tenant ?? tenant);
    },
  })),

  "binding ignores the tenant": {
    create: (clock) => {
      const stores = createMemoryStores({ clock });
      const { idempotency } = stores;
      const bind: typeof idempotency.bind = (request) => idempotency.bind({ ...request, tenant: "all" });
      return { ...stores, idempotency: replacing(idempotency, { bind }) };
    },
    violation: /I9: /,
  },

  "recording ignores the tenant": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const { operations, submissions } = backend;
      const owners = new Map<string, string>();
      const record: Submissions<never>["record"] = async (submission) => {
        const { id, key = id } = submission.operation;
        const operation = await listed(operations, owners.get(key) ?? "");
        const { fingerprint } = submission;
        if (operation !== undefined) return { outcome: "exists", operation, fingerprint };
        owners.set(key, id);
        return submissions.record(submission);
      };
      return { ...backend, submissions: replacing(submissions, { record }) };
    },
    violation: /I9: /,
  },
};

type Settlement = Parameters<OperationStore["settle"]>[1];

function settling(change: (settlement: Settlement) => Settlement): PlantedReading {
  const create: CreateBackend = (clock) => {
    const backend = createMemoryBackend({ clock });
    const settle: OperationStore["settle"] = (lease, settlement) =>
      backend.operations.settle(lease, change(settlement));
    return withStore(backend, { settle });
  };
  return { create, violation: /I8: .* was read/ };
}

function tenantless(methods: (store: OperationStore) => Partial<OperationStore>): PlantedReading {
  const create: CreateBackend = (clock) => {
    const backend = createMemoryBackend({ clock });
    return withStore(backend, methods(backend.operations));
  };
  return { create, violation: /I9: / };
}

function reading(
  { operations }: Backend<never>,
  change: (operation: Operation) => Operation,
): Pick<OperationStore, "get"> {
  return {
    get: async (id, tenant) => {
      const operation = await operations.get(id, tenant);
      return operation && change(operation);
    },
  };
}

/** Replaces some methods of the operation store. */
function withStore(backend: Backend<never>, methods: Partial<OperationStore>): Backend<never> {
  return { ...backend, operations: replacing(backend.operations, methods) };
}

async function listed(store: OperationStore, id: string): Promise<Operation | undefined> {
  return (await store.getMany([id]))[0];
}
