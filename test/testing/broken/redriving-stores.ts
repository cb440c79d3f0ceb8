import type { ExpiredOperation, OperationState, RedriveResult } from "async-request-reply/ports";
import { reading } from "../changed-calls.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Builds a store whose redrives return other results. */
function redriving(
  change: (
    result: RedriveResult,
    successor: { readonly id: string },
    store: TrackedStore,
    id: string,
  ) => RedriveResult | Promise<RedriveResult>,
): BrokenPort<TrackedStore>["methods"] {
  return (store) => ({
    redrive: async (id, successor) => {
      return change(await store.redrive(id, successor), successor, store, id);
    },
  });
}

/** Builds a store that says that it has redriven what cannot be redriven in this state. */
function alsoRedriving(state: OperationState): BrokenPort<TrackedStore>["methods"] {
  return redriving((result, { id }) =>
    result.outcome === "not-redrivable" && result.state === state
      ? { outcome: "redriven", operationId: id, created: true }
      : result,
  );
}

/** Stores that break a rule of running failed operations again. */
export const redrivingStores = named<TrackedStore>({
  "does not record the successor in the failed operation": caughtBy(
    ["redrive.created", "redrive.race", "redrive.chain", "redriven.kept"],
    (store) => reading(store, ({ retriedBy: _, ...operation }) => operation),
  ),
  "copies the key to the successor": caughtBy(["redrive.created"], (store) => ({
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      if (operation?.retryOf === undefined) return operation;
      const { key } = (await store.look(operation.retryOf)) ?? {};
      return key === undefined ? operation : { ...operation, key };
    },
  })),
  "names no principal in the successor": caughtBy(["redrive.created", "redrive.principal"], (store) =>
    reading(store, (operation) => {
      const { principal: _, ...rest } = operation;
      return operation.retryOf === undefined ? operation : rest;
    }),
  ),
  "creates a successor for every redrive": caughtBy(
    ["redrive.repeated", "redrive.race"],
    redriving(async (result, { id }, store, failed) => {
      if (result.outcome !== "redriven" || result.created) return result;
      const operation = store.created.get(failed);
      if (operation !== undefined) await store.create({ ...operation, id });
      return { outcome: "redriven", operationId: id, created: true };
    }),
  ),
  "returns the id that a repeated call requested": caughtBy(
    ["redrive.repeated", "redrive.race"],
    redriving((result, { id }) => (result.outcome === "redriven" ? { ...result, operationId: id } : result)),
  ),
  "returns `created` to every repeated call": caughtBy(
    ["redrive.repeated", "redrive.race"],
    redriving((result) => (result.outcome === "redriven" ? { ...result, created: true } : result)),
  ),
  "redrives no successor": caughtBy(["redrive.chain", "redriven.chain"], (store) => ({
    redrive: async (id, successor) => {
      const operation = await store.look(id);
      if (operation?.retryOf !== undefined) return { outcome: "not-redrivable", state: operation.state };
      return store.redrive(id, successor);
    },
  })),
  "redrives completed operations": caughtBy(["redrive.states"], alsoRedriving("completed")),
  "redrives operations that were never pending": caughtBy(["redrive.never-pending"], alsoRedriving("failed")),
  "gives the follow-up of the successor the id of the first follow-up": caughtBy(
    ["redrive.on-end"],
    (store) => ({
      redrive: async (id, successor) => {
        const onEndId = store.created.get(id)?.onEnd?.id ?? "";
        return store.redrive(id, { ...successor, onEndId });
      },
    }),
  ),
  "hands out redriven operations when they expire": caughtBy(
    ["redriven.kept", "redriven.chain", "redriven.removed", "jump.redriven"],
    (store, clock) => ({
      takeExpired: async (request) => {
        const redriven: ExpiredOperation[] = (await store.all()).filter(
          ({ retriedBy, settledAt = 0, retentionMs }) =>
            retriedBy !== undefined && settledAt + retentionMs <= clock.now(),
        );
        return [...(await store.takeExpired(request)), ...redriven];
      },
    }),
  ),
  "keeps redriven operations forever": caughtBy(
    ["redriven.kept", "redriven.chain", "jump.redriven"],
    (store) => ({
      takeExpired: async (request) => {
        const redriven = (await store.all()).filter(({ retriedBy }) => retriedBy !== undefined);
        const kept = new Set(redriven.map(({ id }) => id));
        return (await store.takeExpired(request)).filter(({ id }) => !kept.has(id));
      },
    }),
  ),
  "removes operations that were redriven in the meantime": caughtBy(["redriven.removed"], (store) => {
    const removed = new Set<string>();
    return {
      remove: async (ids, options) => {
        for (const id of ids) removed.add(id);
        return store.remove(ids, options);
      },
      get: async (id, tenant) => (removed.has(id) ? undefined : store.get(id, tenant)),
    };
  }),
});
