import { createMemoryBackend } from "async-request-reply";
import type { JsonText, Operation, Settlement, Submissions } from "async-request-reply/ports";
import { replacing } from "../support/replacing.js";
import * as changed from "./changed-calls.js";
import { atomic, I, inStores, lookAt, type PlantedStore } from "./planted-stores.js";

const WAS_READ = /I8: .* was read/;

/** Back ends that return wrong values, or operations of another tenant. */
export const plantedReadings: Readonly<Record<string, PlantedStore>> = {
  "every result is null": settling((settlement) =>
    settlement.to === "completed" ? { ...settlement, result: "null" } : settlement,
  ),

  "an operation has the result of another one": atomic(WAS_READ, (store) => {
    let last: JsonText | undefined;
    return changed.settling(store, (settlement) => {
      if (settlement.to !== "completed") return settlement;
      const result = last ?? settlement.result ?? "null";
      last = settlement.result;
      return { ...settlement, result };
    });
  }),

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

  "a repeated settlement replaces the result": atomic(WAS_READ, (store) => {
    const settled = new Set<string>();
    const replaced = new Set<string>();
    return {
      settle: async (lease, settlement) => {
        const answer = await store.settle(lease, settlement);
        if (answer.outcome === "settled" && settled.has(lease.token)) replaced.add(lease.operationId);
        settled.add(lease.token);
        return answer;
      },
      ...changed.reading(store, (operation) =>
        operation.result === undefined || !replaced.has(operation.id)
          ? operation
          : { ...operation, result: '"again"' },
      ),
    };
  }),

  "a read returns the first progress instead of the latest": atomic(WAS_READ, (store) => {
    const first = new Map<string, JsonText>();
    return changed.reading(store, (operation) => {
      const { id, progress } = operation;
      if (progress === undefined) return operation;
      const known = first.get(id) ?? progress;
      first.set(id, known);
      return { ...operation, progress: known };
    });
  }),

  "the progress of a settlement is lost": settling((settlement) => {
    if (settlement.to === "prepared") return settlement;
    const { progress: _, ...rest } = settlement;
    return rest;
  }),

  "a requested cancellation is not shown": reading(
    WAS_READ,
    ({ cancelRequested: _, ...operation }) => operation,
  ),

  "progress is lost": atomic(WAS_READ, (store) => ({
    renew: (lease, { progress: _, ...change }) => store.renew(lease, change),
  })),

  "a read names another principal": reading(/I8: .* was read with principal tenant-/, (operation) => ({
    ...operation,
    principal: operation.tenant,
  })),

  "a submission replaces the principal of its key's operation": {
    create: (clock) => {
      const { operations, submissions, ...backend } = createMemoryBackend({ clock });
      const last = new Map<string, string | undefined>();
      const record: Submissions<never>["record"] = async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome === "exists") last.set(result.operation.id, submission.operation.principal);
        return result;
      };
      const { get } = changed.reading(operations, (operation) => {
        const principal = last.get(operation.id) ?? operation.principal;
        return principal === undefined ? operation : { ...operation, principal };
      });
      return {
        ...backend,
        operations: replacing(operations, { get }),
        submissions: replacing(submissions, { record }),
      };
    },
    violation: /I8: .* was read with principal client-/,
  },

  "a read names no principal": reading(
    /I8: .* was read with principal undefined/,
    ({ principal: _, ...operation }) => operation,
  ),

  "the time of creation changes": atomic(/I8: .* was created at/, (store, clock) =>
    changed.reading(store, (operation) => ({ ...operation, createdAt: clock.now() })),
  ),

  "the time of the end changes": atomic(/I8: .* ended at .* and at/, (store, clock) =>
    changed.reading(store, (operation) =>
      operation.settledAt === undefined ? operation : { ...operation, settledAt: clock.now() },
    ),
  ),

  "reading ignores the tenant": atomic(I(9), (store) => ({ get: (id) => lookAt(store, id) })),

  "cancelling ignores the tenant": atomic(I(9), (store) => ({
    requestCancel: async (id, tenant) => {
      const operation = await lookAt(store, id);
      return store.requestCancel(id, operation?.tenant ?? tenant);
    },
  })),

  "binding ignores the tenant": {
    create: inStores((_, idempotency) => ({
      idempotency: { bind: (request) => idempotency.bind({ ...request, tenant: "all" }) },
    })),
    violation: I(9),
  },

  "recording ignores the tenant": {
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const { operations, submissions } = backend;
      const owners = new Map<string, string>();
      const record: Submissions<never>["record"] = async (submission) => {
        const { id, key = id } = submission.operation;
        const operation = await lookAt(operations, owners.get(key) ?? "");
        const { fingerprint } = submission;
        if (operation !== undefined) return { outcome: "exists", operation, fingerprint };
        owners.set(key, id);
        return submissions.record(submission);
      };
      return { ...backend, submissions: replacing(submissions, { record }) };
    },
    violation: I(9),
  },
};

function settling(change: (settlement: Settlement) => Settlement): PlantedStore {
  return atomic(WAS_READ, (store) => changed.settling(store, change));
}

function reading(violation: RegExp, change: (operation: Operation) => Operation): PlantedStore {
  return atomic(violation, (store) => changed.reading(store, change));
}
