import type { ExpiredOperation, RedriveResult } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

type Successor = { readonly id: string; readonly onEndId: string };

/** Builds a store whose redrives return other results. */
function redriving(
  change: (
    result: RedriveResult,
    successor: Successor,
    store: TrackedStore,
    id: string,
  ) => RedriveResult | Promise<RedriveResult>,
): BrokenPort<TrackedStore>["methods"] {
  return (store) => ({
    redrive: async (id, successor) => {
      const result = await store.redrive(id, successor);
      return change(result, successor, store, id);
    },
  });
}

/** Stores that break a rule of running failed operations again. */
export const redrivingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "does not record the successor in the failed operation",
    caughtBy: ["redrive.created", "redrive.race", "redrive.chain", "redriven.kept"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        if (operation === undefined) return undefined;
        const { retriedBy: _, ...rest } = operation;
        return rest;
      },
    }),
  },
  {
    name: "copies the key to the successor",
    caughtBy: ["redrive.created"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        if (operation?.retryOf === undefined) return operation;
        const { key } = (await store.look(operation.retryOf)) ?? {};
        return key === undefined ? operation : { ...operation, key };
      },
    }),
  },
  {
    name: "names no principal in the successor",
    caughtBy: ["redrive.created", "redrive.principal"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        if (operation?.retryOf === undefined) return operation;
        const { principal: _, ...rest } = operation;
        return rest;
      },
    }),
  },
  {
    name: "creates a successor for every redrive",
    caughtBy: ["redrive.repeated", "redrive.race"],
    methods: redriving(async (result, { id }, store, failed) => {
      if (result.outcome !== "redriven" || result.created) return result;
      const operation = store.created.get(failed);
      if (operation !== undefined) await store.create({ ...operation, id });
      return { outcome: "redriven", operationId: id, created: true };
    }),
  },
  {
    name: "returns the id that a repeated call requested",
    caughtBy: ["redrive.repeated", "redrive.race"],
    methods: redriving((result, { id }) =>
      result.outcome === "redriven" ? { ...result, operationId: id } : result,
    ),
  },
  {
    name: "returns `created` to every repeated call",
    caughtBy: ["redrive.repeated", "redrive.race"],
    methods: redriving((result) => (result.outcome === "redriven" ? { ...result, created: true } : result)),
  },
  {
    name: "redrives no successor",
    caughtBy: ["redrive.chain", "redriven.chain"],
    methods: (store) => ({
      redrive: async (id, successor) => {
        const operation = await store.look(id);
        if (operation?.retryOf !== undefined) return { outcome: "not-redrivable", state: operation.state };
        return store.redrive(id, successor);
      },
    }),
  },
  {
    name: "redrives completed operations",
    caughtBy: ["redrive.states"],
    methods: redriving((result, { id }) =>
      result.outcome === "not-redrivable" && result.state === "completed"
        ? { outcome: "redriven", operationId: id, created: true }
        : result,
    ),
  },
  {
    name: "redrives operations that were never pending",
    caughtBy: ["redrive.never-pending"],
    methods: redriving((result, { id }) =>
      result.outcome === "not-redrivable" && result.state === "failed"
        ? { outcome: "redriven", operationId: id, created: true }
        : result,
    ),
  },
  {
    name: "gives the follow-up of the successor the id of the first follow-up",
    caughtBy: ["redrive.on-end"],
    methods: (store) => ({
      redrive: async (id, successor) => {
        const onEndId = store.created.get(id)?.onEnd?.id ?? "";
        return store.redrive(id, { ...successor, onEndId });
      },
    }),
  },
  {
    name: "hands out redriven operations when they expire",
    caughtBy: ["redriven.kept", "redriven.chain", "redriven.removed", "jump.redriven"],
    methods: (store, clock) => ({
      takeExpired: async (request) => {
        const redriven: ExpiredOperation[] = (await store.all()).filter(
          ({ retriedBy, settledAt = 0, retentionMs }) =>
            retriedBy !== undefined && settledAt + retentionMs <= clock.now(),
        );
        return [...(await store.takeExpired(request)), ...redriven];
      },
    }),
  },
  {
    name: "keeps redriven operations forever",
    caughtBy: ["redriven.kept", "redriven.chain", "jump.redriven"],
    methods: (store) => ({
      takeExpired: async (request) => {
        const redriven = (await store.all()).filter(({ retriedBy }) => retriedBy !== undefined);
        const kept = new Set(redriven.map(({ id }) => id));
        return (await store.takeExpired(request)).filter(({ id }) => !kept.has(id));
      },
    }),
  },
  {
    name: "removes operations that were redriven in the meantime",
    caughtBy: ["redriven.removed"],
    methods: (store) => {
      const removed = new Set<string>();
      return {
        remove: async (ids, options) => {
          for (const id of ids) removed.add(id);
          return store.remove(ids, options);
        },
        get: async (id, tenant) => (removed.has(id) ? undefined : store.get(id, tenant)),
      };
    },
  },
];
