import type { ListedOperation, ListRequest } from "async-request-reply/ports";
import { retrying } from "./changed-calls.js";
import { atomic, composed, type PlantedStore } from "./planted-stores.js";

/** Back ends that answer sweeps, operators and the holders of leases with something untrue. */
export const plantedAnswers: Readonly<Record<string, PlantedStore>> = {
  "a renewal hides a requested cancellation": atomic(
    /I19: .* was renewed with cancelRequested false/,
    (store) => ({
      renew: async (lease, change) => {
        const result = await store.renew(lease, change);
        return result.outcome === "renewed" ? { ...result, cancelRequested: false } : result;
      },
    }),
  ),

  "a retry ignores its delay": atomic(/I(19|20): .* (before it was due|too early)/, (store) =>
    retrying(store, (retry) => ({ ...retry, delayMs: 0 })),
  ),

  "the counts of failed operations are off by one": counting("failed", 1),
  "the counts of due operations are off by one": counting("due", -1),

  "an expired operation is handed out twice": composed(
    /I20: an operation was handed out twice in one answer/,
    (store) => ({
      takeExpired: async (request) => {
        const taken = await store.takeExpired(request);
        return [...taken, ...taken].slice(0, request.limit);
      },
    }),
  ),

  "a list skips the first operation of its second page": listing(
    /I2: .* is missing from the pages of a list|I8: a page of a list was not full/,
    (page) => page.slice(1),
  ),

  "the second page of a list names no principals": listing(
    /I8: .* was listed with principal undefined/,
    (page) => page.map(({ principal: _, ...operation }) => operation),
  ),

  "the second page of a list has operations of every tenant": dropping("tenant"),
  "the second page of a list has operations of every definition": dropping("definition"),
  "the second page of a list has operations in every state": dropping("state"),
};

function dropping(filter: "tenant" | "definition" | "state"): PlantedStore {
  return atomic(/I8: .* was listed but does not match the request/, (store) => ({
    list: async (request: ListRequest) => {
      const { [filter]: _, ...others } = request;
      return store.list(request.after === undefined ? request : others);
    },
  }));
}

function listing(
  violation: RegExp,
  change: (page: readonly ListedOperation[]) => readonly ListedOperation[],
): PlantedStore {
  return atomic(violation, (store) => ({
    list: async (request) => {
      const page = await store.list(request);
      return request.after === undefined ? page : change(page);
    },
  }));
}

function counting(name: "failed" | "due", by: number): PlantedStore {
  return atomic(new RegExp(`I21: .* counted as ${name}`), (store) => ({
    stats: async (request) =>
      (await store.stats(request)).map((stats) => {
        const count = Math.max(0, stats[name].count + by);
        return { ...stats, [name]: { ...stats[name], count } };
      }),
  }));
}
