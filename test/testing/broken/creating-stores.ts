import type { NewOperation, Operation } from "async-request-reply/ports";
import { creating, reading } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of creating and reading operations. */
export const creatingStores = named<TrackedStore>({
  "lets the last creation of an id win": caughtBy(["create.exists", "create.race"], (store) => {
    const latest = new Map<string, NewOperation>();
    return {
      create: async (operation, initial) => {
        latest.set(operation.id, operation);
        return store.create(operation, initial);
      },
      ...reading(store, (operation) => ({ ...operation, ...latest.get(operation.id) })),
    };
  }),
  "returns `created` to every creation": caughtBy(
    [
      "create.exists",
      "create.race",
      "create.ended",
      "create.failed",
      "preparing.repeated",
      "preparing.repeated-late",
      "preparing.taken-over",
      "remove.later",
    ],
    (store) => ({
      create: async (operation, initial) => {
        await store.create(operation, initial);
        return "created";
      },
    }),
  ),
  "recreates ended operations": caughtBy(["create.ended", "create.failed"], (store) => ({
    create: async (operation, initial) => {
      const known = await store.look(operation.id);
      if (known?.settledAt !== undefined) {
        await store.remove([operation.id], { afterMs: 0 });
        await store.takeExpired({ limit: 1 });
      }
      return store.create(operation, initial);
    },
  })),
  "loses characters that its database does not support": caughtBy(
    ["create.text", "renew.progress", "settle.completed", "settle.failed"],
    (store) => {
      const clean = (text: string | undefined) => text?.replaceAll(/\\u0000|\\ud800/g, "");
      return reading(store, (operation) => {
        const { progress, result, error } = operation;
        return {
          ...operation,
          input: `${clean(operation.input)}`,
          ...(progress && { progress: `${clean(progress)}` }),
          ...(result && { result: `${clean(result)}` }),
          ...(error && { error: `${clean(error)}` }),
        };
      });
    },
  ),
  "reformats JSON instead of keeping its text": caughtBy(["create.text"], (store) =>
    creating(store, (operation) => ({ ...operation, input: JSON.stringify(JSON.parse(operation.input)) })),
  ),
  "looks up names in a plain object": caughtBy(["create.names"], (store) => ({
    get: async (id, tenant) => (tenant in {} ? undefined : store.get(id, tenant)),
  })),
  "forgets the key": caughtBy(
    ["create.new", "create.names", "create.failed", "begin.first", "retention.members"],
    (store) => creating(store, ({ key: _, ...operation }) => operation),
  ),
  "creates everything as pending": caughtBy(
    [
      "create.failed",
      "preparing.shown",
      "preparing.repeated",
      "preparing.lease",
      "preparing.failed",
      "preparing.completed",
      "retention.terminal-only",
      "cancel.preparing",
    ],
    (store) => ({ create: (operation) => store.create(operation) }),
  ),
  "hides preparing operations": caughtBy(["preparing.shown", "preparing.taken-over"], (store) =>
    reading(store, (operation) => (operation.state === "preparing" ? undefined : operation)),
  ),
  "returns an arbitrary operation for unknown ids": caughtBy(["get.unknown"], (store) => ({
    get: async (id, tenant) => {
      const known = await store.get(id, tenant);
      const first = (await store.all())[0];
      return known ?? (store.created.has(id) || first?.tenant !== tenant ? undefined : first);
    },
  })),
  "returns the operations of other tenants": caughtBy(["get.tenant"], (store) => ({
    get: (id, tenant) => store.get(id, store.created.get(id)?.tenant ?? tenant),
  })),
  "ignores case and spaces in tenants": caughtBy(["get.tenant"], (store) => ({
    get: (id, tenant) => store.get(id, tenant.toLowerCase().trim()),
  })),
  "shows hidden operations": caughtBy(["get.hidden", "on-end.completed", "redrive.hidden"], (store) => ({
    get: async (id, tenant) => {
      const operation = await store.look(id);
      return operation?.tenant === tenant ? operation : undefined;
    },
  })),
  "returns an object that it changes later": caughtBy(["get.copy"], (store) => {
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
  }),
});
