import type { OperationStore } from "async-request-reply";
import type { ListedOperation, NewOperation, Operation } from "async-request-reply/ports";
import { EXPIRED } from "../../src/contract/problem.js";
import * as changed from "./changed-calls.js";
import { composed, I, lookAt, type PlantedStore } from "./planted-stores.js";

/** Back ends with mistakes in retention, delays, deadlines, follow-ups or redrives. */
export const plantedPromises: Readonly<Record<string, PlantedStore>> = {
  "every definition has the same retention": creating(I(8), (operation) => ({
    ...operation,
    retentionMs: 600_000,
  })),

  "an operation and its key expire before their retention is over": composed(I(1, 2, 20), (store) => {
    const promised = <Kept extends ListedOperation>(operation: Kept): Kept =>
      operation.definition === "orders" ? { ...operation, retentionMs: 3_600_000 } : operation;
    return {
      create: (operation, initial) => store.create({ ...operation, retentionMs: 600_000 }, initial),
      ...changed.reading(store, promised),
      getMany: async (ids) => (await store.getMany(ids)).map(promised),
      list: async (request) => (await store.list(request)).map(promised),
      ...changed.beginning(store, (begun) => ({ ...begun, operation: promised(begun.operation) })),
    };
  }),

  "metadata is lost": creating(I(8), ({ meta: _, ...operation }) => operation),

  "a retry shows the error of another operation": composed(I(8), (store) => {
    let last: string | undefined;
    return changed.retrying(store, (retry) => {
      if (retry.lastError === undefined) return retry;
      const lastError = last ?? retry.lastError;
      last = retry.lastError;
      return { ...retry, lastError };
    });
  }),

  "delays are ignored": creating(I(13, 21), ({ delayMs: _, ...operation }) => operation),

  "an operation expires that has begun": composed(/I26: .* expired although it had begun/, (store, clock) => {
    const begun = new Map<string, { readonly token: string; readonly operation: Operation }>();
    return {
      ...changed.noting(store, (operation, token) => void begun.set(operation.id, { token, operation })),
      endOverdue: async (request) => {
        const ended = [...(await store.endOverdue(request))];
        for (const [operationId, { token, operation }] of begun) {
          const { createdAt, startWithinMs = Number.POSITIVE_INFINITY, state } = operation;
          if (state !== "pending" || createdAt + startWithinMs > clock.now()) continue;
          begun.delete(operationId);
          const settled = await store.settle({ operationId, token }, { to: "failed", error: EXPIRED });
          if (settled.outcome === "settled") ended.push(operation);
        }
        return ended;
      },
    };
  }),

  "an operation expires without its follow-up": composed(I(2), (store) => {
    const { create, follow } = followUps(store);
    return {
      create,
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        if (settled.outcome === "settled" && settled.state !== "pending" && settled.state !== "preparing")
          await follow(lease.operationId);
        return settled;
      },
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome === "cancelled") await follow(id);
        return outcome;
      },
      claim: async (request) => {
        const claimed = await store.claim(request);
        for (const { id } of claimed.ended) await follow(id);
        return claimed;
      },
    };
  }),

  "a sweep leaves operations that are overdue": composed(
    /I26: .* is overdue, but a sweep did not end it/,
    () => ({ endOverdue: async () => [] }),
  ),

  "follow-ups are lost": creating(I(2), ({ onEnd: _, ...operation }) => operation),

  "a cancellation does not create the follow-up": composed(I(2), (store) => {
    const { create, follow } = followUps(store);
    return {
      create,
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        const ended = settled.outcome === "settled" && settled.state !== "pending";
        if (ended && settlement.to !== "retry" && settlement.to !== "prepared")
          await follow(lease.operationId);
        return settled;
      },
    };
  }),

  "a retry creates the follow-up": composed(I(11), (store) => {
    const { create, follow } = followUps(store);
    return {
      create,
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        if (settled.outcome === "settled" && settlement.to !== "prepared") await follow(lease.operationId);
        return settled;
      },
      requestCancel: async (id, tenant) => {
        const outcome = await store.requestCancel(id, tenant);
        if (outcome === "cancelled") await follow(id);
        return outcome;
      },
    };
  }),

  "an operation has two follow-ups": composed(I(2, 11), (store) => {
    const { create, follow } = followUps(store);
    return {
      create,
      settle: async (lease, settlement) => {
        const settled = await store.settle(lease, settlement);
        if (settlement.to === "completed") {
          await follow(lease.operationId);
          await follow(lease.operationId, (id) => id.replace(/^0/, "1"));
        }
        return settled;
      },
    };
  }),

  "clients can read follow-ups": composed(I(9), (store) => ({
    get: async (id, tenant) => {
      const found = await lookAt(store, id);
      return found?.tenant === tenant ? found : undefined;
    },
  })),

  "every repeated redrive creates another operation": composed(I(12), (store) => ({
    redrive: async (id, successor) => {
      const result = await store.redrive(id, successor);
      const failed = await lookAt(store, id);
      if (result.outcome !== "redriven" || result.created || failed === undefined) return result;
      const { tenant, definition, input, retentionMs } = failed;
      const another = successor.id.replace(/^./, "f");
      await store.create({ id: another, tenant, definition, input, retentionMs, retryOf: id });
      return { outcome: "redriven", operationId: another, created: true };
    },
  })),

  "a list omits the newest operation": composed(
    /I2: .* is missing from (a list|the pages of a list)/,
    (store) => ({
      list: async (request) => (await store.list(request)).slice(1) ?? [],
    }),
  ),

  "a list does not show the successors of operations": composed(I(12), (store) => ({
    list: async (request) => {
      const page = await store.list(request);
      return page.map(({ retriedBy: _, ...operation }) => operation);
    },
  })),

  "a failed operation does not name its successor": composed(I(12), (store) =>
    changed.reading(store, ({ retriedBy: _, ...operation }) => operation),
  ),

  "a redrive makes the failed operation pending again": composed(I(4), (store) =>
    changed.reading(store, (operation) => {
      if (operation.retriedBy === undefined) return operation;
      const { error: _, settledAt: __, ...rest } = operation;
      return { ...rest, state: "pending" };
    }),
  ),

  "cancelled operations cannot be redriven": composed(I(12), (store) => ({
    redrive: async (id, successor) => {
      const { state = "failed", error = "" } = (await lookAt(store, id)) ?? {};
      if (error.includes("#cancelled")) return { outcome: "not-redrivable", state };
      return store.redrive(id, successor);
    },
  })),

  "a redriven operation expires before its successor": composed(I(2), (store, clock) =>
    changed.reading(store, (operation) => {
      const { retriedBy, settledAt = 0, retentionMs } = operation;
      return retriedBy !== undefined && settledAt + retentionMs <= clock.now() ? undefined : operation;
    }),
  ),
};

/** Changes the operations that a store creates. */
function creating(violation: RegExp, change: (operation: NewOperation) => NewOperation): PlantedStore {
  return composed(violation, (store) => changed.creating(store, change));
}

/** Removes the follow-ups from new operations, so that the caller can create them at other times. */
function followUps(store: OperationStore) {
  const parents = new Map<string, NewOperation>();
  const create: OperationStore["create"] = ({ onEnd, ...operation }, initial) => {
    if (onEnd !== undefined) parents.set(operation.id, { ...operation, onEnd });
    return store.create(operation, initial);
  };
  const follow = async (id: string, rename = (followUp: string) => followUp): Promise<void> => {
    const { onEnd, tenant = "" } = parents.get(id) ?? {};
    if (onEnd !== undefined)
      await store.create({ ...onEnd, id: rename(onEnd.id), tenant, hidden: true, delayMs: 0 });
  };
  return { create, follow };
}
