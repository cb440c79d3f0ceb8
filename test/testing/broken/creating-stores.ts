import type { NewOperation, Operation } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of creating and reading operations. */
export const creatingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "lets the last creation of an id win",
    caughtBy: ["create.exists", "create.race"],
    methods: (store) => {
      const latest = new Map<string, NewOperation>();
      return {
        create: async (operation, initial) => {
          latest.set(operation.id, operation);
          return store.create(operation, initial);
        },
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          return operation && { ...operation, ...latest.get(id) };
        },
      };
    },
  },
  {
    name: "returns `created` to every creation",
    caughtBy: [
      "create.exists",
      "create.race",
      "create.ended",
      "create.failed",
      "preparing.repeated",
      "preparing.repeated-late",
      "preparing.taken-over",
      "remove.later",
    ],
    methods: (store) => ({
      create: async (operation, initial) => {
        await store.create(operation, initial);
        return "created";
      },
    }),
  },
  {
    name: "recreates ended operations",
    caughtBy: ["create.ended", "create.failed"],
    methods: (store) => ({
      create: async (operation, initial) => {
        const known = await store.look(operation.id);
        if (known?.settledAt !== undefined) {
          await store.remove([operation.id], { afterMs: 0 });
          await store.takeExpired({ limit: 1 });
        }
        return store.create(operation, initial);
      },
    }),
  },
  {
    name: "loses characters that its database does not support",
    caughtBy: ["create.text", "renew.progress", "settle.completed", "settle.failed"],
    methods: (store) => {
      const clean = (text: string | undefined) => text?.replaceAll(/\\u0000|\\ud800/g, "");
      return {
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          if (operation === undefined) return undefined;
          const { progress, result, error } = operation;
          return {
            ...operation,
            input: `${clean(operation.input)}`,
            ...(progress && { progress: `${clean(progress)}` }),
            ...(result && { result: `${clean(result)}` }),
            ...(error && { error: `${clean(error)}` }),
          };
        },
      };
    },
  },
  {
    name: "reformats JSON instead of keeping its text",
    caughtBy: ["create.text"],
    methods: (store) => ({
      create: (operation, initial) =>
        store.create({ ...operation, input: JSON.stringify(JSON.parse(operation.input)) }, initial),
    }),
  },
  {
    name: "looks up names in a plain object",
    caughtBy: ["create.names"],
    methods: (store) => ({ get: async (id, tenant) => (tenant in {} ? undefined : store.get(id, tenant)) }),
  },
  {
    name: "forgets the key",
    caughtBy: ["create.new", "create.names", "create.failed", "begin.first", "retention.members"],
    methods: (store) => ({
      create: ({ key: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "creates everything as pending",
    caughtBy: [
      "create.failed",
      "preparing.shown",
      "preparing.repeated",
      "preparing.lease",
      "preparing.failed",
      "preparing.completed",
      "retention.terminal-only",
      "cancel.preparing",
    ],
    methods: (store) => ({ create: (operation) => store.create(operation) }),
  },
  {
    name: "hides preparing operations",
    caughtBy: ["preparing.shown", "preparing.taken-over"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation?.state === "preparing" ? undefined : operation;
      },
    }),
  },
  {
    name: "returns an arbitrary operation for unknown ids",
    caughtBy: ["get.unknown"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const known = await store.get(id, tenant);
        const first = (await store.all())[0];
        return known ?? (store.created.has(id) || first?.tenant !== tenant ? undefined : first);
      },
    }),
  },
  {
    name: "returns the operations of other tenants",
    caughtBy: ["get.tenant"],
    methods: (store) => ({ get: (id, tenant) => store.get(id, store.created.get(id)?.tenant ?? tenant) }),
  },
  {
    name: "ignores case and spaces in tenants",
    caughtBy: ["get.tenant"],
    methods: (store) => ({ get: (id, tenant) => store.get(id, tenant.toLowerCase().trim()) }),
  },
  {
    name: "shows hidden operations",
    caughtBy: ["get.hidden", "on-end.completed", "redrive.hidden"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.look(id);
        return operation?.tenant === tenant ? operation : undefined;
      },
    }),
  },
  {
    name: "returns an object that it changes later",
    caughtBy: ["get.copy"],
    methods: (store) => {
      const live = new Map<string, Operation>();
      const refresh = async (id: string): Promise<void> => {
        Object.assign(live.get(id) ?? {}, await store.look(id));
      };
      return {
        get: async (id, tenant) => {
          const operation = await store.get(id, tenant);
          if (operation !== undefined && !live.has(id)) live.set(id, { ...operation });
          return operation && live.get(id);
        },
        settle: async (lease, settlement) => {
          const settled = await store.settle(lease, settlement);
          await refresh(lease.operationId);
          return settled;
        },
      };
    },
  },
];
