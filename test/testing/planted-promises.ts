import { type Clock, createMemoryStores, type OperationStore } from "async-request-reply";
import type {
  ListedOperation,
  NewOperation,
  Operation,
  SeparateOperationStore,
} from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { EXPIRED } from "../../src/contract/problem.js";
import { replacing } from "../support/replacing.js";
import { answering, noting } from "./changed-claims.js";

/** A back end with one mistake, and the violation that the simulator must report. */
interface PlantedPromise {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Back ends with mistakes in retention, delays, deadlines, follow-ups or redrives. */
export const plantedPromises: Readonly<Record<string, PlantedPromise>> = {
  "every definition has the same retention": creating(I(8), (operation) => ({
    ...operation,
    retentionMs: 600_000,
  })),

  "an operation and its key expire before their retention is over": composed(/I([12]|20): /, (store) => {
    const promised = <Kept extends ListedOperation>(operation: Kept): Kept =>
      operation.definition === "orders" ? { ...operation, retentionMs: 3_600_000 } : operation;
    return {
      create: (operation, initial) => store.create({ ...operation, retentionMs: 600_000 }, initial),
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation && promised(operation);
      },
      getMany: async (ids) => (await store.getMany(ids)).map(promised),
      list: async (request) => (await store.list(request)).map(promised),
      claim: answering(store, ({ begun, ...claimed }) => ({
        ...claimed,
        begun: begun.map((each) => ({ ...each, operation: promised(each.operation) })),
      })),
    };
  }),

  "metadata is lost": creating(I(8), ({ meta: _, ...operation }) => operation),

  "a retry shows the error of another operation": composed(I(8), (store) => {
    let last: string | undefined;
    return {
      settle: (lease, settlement) => {
        if (settlement.to !== "retry" || settlement.lastError === undefined)
          return store.settle(lease, settlement);
        const lastError = last ?? settlement.lastError;
        last = settlement.lastError;
        return store.settle(lease, { ...settlement, lastError });
      },
    };
  }),

  "delays are ignored": creating(/I(13|21): /, ({ delayMs: _, ...operation }) => operation),

  "an operation expires that has begun": composed(/I26: .* expired although it had begun/, (store, clock) => {
    const begun = new Map<string, { readonly token: string; readonly operation: Operation }>();
    return {
      claim: noting(store, (operation, token) => void begun.set(operation.id, { token, operation })),
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

  "an operation has two follow-ups": composed(/I(2|11): /, (store) => {
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

  "a failed operation does not name its successor": composed(I(12), (store) => ({
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      if (operation === undefined) return undefined;
      const { retriedBy: _, ...rest } = operation;
      return rest;
    },
  })),

  "a redrive makes the failed operation pending again": composed(I(4), (store) => ({
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      if (operation?.retriedBy === undefined) return operation;
      const { error: _, settledAt: __, ...rest } = operation;
      return { ...rest, state: "pending" };
    },
  })),

  "cancelled operations cannot be redriven": composed(I(12), (store) => ({
    redrive: async (id, successor) => {
      const { state = "failed", error = "" } = (await lookAt(store, id)) ?? {};
      if (error.includes("#cancelled")) return { outcome: "not-redrivable", state };
      return store.redrive(id, successor);
    },
  })),

  "a redriven operation expires before its successor": composed(I(2), (store, clock) => ({
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      const { retriedBy, settledAt = 0, retentionMs = 0 } = operation ?? {};
      return retriedBy !== undefined && settledAt + retentionMs <= clock.now() ? undefined : operation;
    },
  })),
};

function I(number: number): RegExp {
  return new RegExp(`I${number}: `);
}

/** Replaces some methods of a store that records key and operation one after the other. */
function composed(
  violation: RegExp,
  methods: (store: OperationStore, clock: Clock) => Partial<OperationStore>,
): PlantedPromise {
  const create: CreateBackend = (clock) => {
    const stores = createMemoryStores({ clock });
    const operations = replacing<SeparateOperationStore>(
      stores.operations,
      methods(stores.operations, clock),
    );
    return { ...stores, operations };
  };
  return { create, violation };
}

/** Changes the operations that a store creates. */
function creating(violation: RegExp, change: (operation: NewOperation) => NewOperation): PlantedPromise {
  return composed(violation, (store) => ({
    create: (operation, initial) => store.create(change(operation), initial),
  }));
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

async function lookAt(store: OperationStore, id: string): Promise<Operation | undefined> {
  return (await store.getMany([id]))[0];
}
