import { createMemoryBackend, createMemoryStores, type OperationStore } from "async-request-reply";
import type { SeparateOperationStore } from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { replacing } from "../support/replacing.js";

/** A back end with one mistake, and the violation that the simulator must report. */
interface PlantedAnswer {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Back ends that answer sweeps, operators and the holders of leases with something untrue. */
export const plantedAnswers: Readonly<Record<string, PlantedAnswer>> = {
  "a renewal hides a requested cancellation": {
    create: withStore((store) => ({
      renew: async (lease, change) => {
        const result = await store.renew(lease, change);
        return result.outcome === "renewed" ? { ...result, cancelRequested: false } : result;
      },
    })),
    violation: /I19: .* was renewed with cancelRequested false/,
  },

  "a retry ignores its delay": {
    create: withStore((store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, delayMs: 0 } : settlement),
    })),
    violation: /I(19|20): .* (before it was due|too early)/,
  },

  "the counts of failed operations are off by one": counting("failed", 1),
  "the counts of due operations are off by one": counting("due", -1),

  "an expired operation is handed out twice": {
    create: (clock) => {
      const stores = createMemoryStores({ clock });
      const takeExpired: SeparateOperationStore["takeExpired"] = async (request) => {
        const taken = await stores.operations.takeExpired(request);
        return [...taken, ...taken].slice(0, request.limit);
      };
      return { ...stores, operations: replacing(stores.operations, { takeExpired }) };
    },
    violation: /I20: an operation was handed out twice in one answer/,
  },

  "a list skips the first operation of its second page": {
    create: listing((page) => page.slice(1)),
    violation: /I2: .* is missing from the pages of a list|I8: a page of a list was not full/,
  },

  "the second page of a list names no principals": {
    create: listing((page) => page.map(({ principal: _, ...operation }) => operation)),
    violation: /I8: .* was listed with principal undefined/,
  },

  "the second page of a list has operations of every tenant": dropping("tenant"),
  "the second page of a list has operations of every definition": dropping("definition"),
  "the second page of a list has operations in every state": dropping("state"),
};

type Listed = Awaited<ReturnType<NonNullable<OperationStore["list"]>>>;
type Request = Parameters<NonNullable<OperationStore["list"]>>[0];

function dropping(filter: "tenant" | "definition" | "state"): PlantedAnswer {
  const create = withStore((store) => ({
    list: async (request: Request) => {
      const { [filter]: _, ...others } = request;
      return store.list(request.after === undefined ? request : others);
    },
  }));
  return { create, violation: /I8: .* was listed but does not match the request/ };
}

function listing(change: (page: Listed) => Listed): CreateBackend {
  return withStore((store) => ({
    list: async (request) => {
      const page = await store.list(request);
      return request.after === undefined ? page : change(page);
    },
  }));
}

function counting(name: "failed" | "due", by: number): PlantedAnswer {
  const create = withStore((store) => ({
    stats: async (request) =>
      (await store.stats(request)).map((stats) => {
        const count = Math.max(0, stats[name].count + by);
        return { ...stats, [name]: { ...stats[name], count } };
      }),
  }));
  return { create, violation: new RegExp(`I21: .* counted as ${name}`) };
}

/** Replaces some methods of the operation store. */
function withStore(methods: (store: OperationStore) => Partial<OperationStore>): CreateBackend {
  return (clock) => {
    const backend = createMemoryBackend({ clock });
    return { ...backend, operations: replacing(backend.operations, methods(backend.operations)) };
  };
}
