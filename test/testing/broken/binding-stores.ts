import type { IdempotencyStore } from "async-request-reply";
import type { BindResult, KeyBinding } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import { caughtBy, named, sharingAnswers } from "./prove.js";

/** Stores that break a rule of binding a key. */
export const bindingStores = named<IdempotencyStore>({
  "lets the last binding win": caughtBy(
    ["bind.exists", "bind.race", "bind.tenant", "bind.repeated"],
    (store) => {
      const last = new Map<string, KeyBinding>();
      return {
        bind: async (binding) => {
          const name = JSON.stringify([binding.tenant, binding.definition, binding.key]);
          const before = last.get(name);
          if (before !== undefined) await store.release(before);
          last.set(name, binding);
          return store.bind(binding);
        },
      };
    },
  ),
  "reads before it binds": caughtBy(["bind.race", "bind.races", "release.race"], (store) => {
    const held = new Map<string, BindResult>();
    return {
      bind: async (binding) => {
        const known = held.get(binding.key);
        await nextTurn();
        if (known !== undefined) return store.bind(binding);
        held.set(binding.key, await store.bind(binding));
        return { outcome: "bound" };
      },
      release: async (owner) => {
        held.delete(owner.key);
        await store.release(owner);
      },
    };
  }),
  "returns one result to different concurrent bindings": caughtBy(
    ["bind.race", "bind.races", "release.race"],
    (store) => ({ bind: sharingAnswers((binding: KeyBinding) => store.bind(binding)) }),
  ),
  "forgets the fingerprint of the first binding": caughtBy(["bind.exists", "bind.race"], (store) => ({
    bind: async (binding) => {
      const result = await store.bind(binding);
      return result.outcome === "exists" ? { ...result, fingerprint: binding.fingerprint } : result;
    },
  })),
  "returns `exists` to the holder of the key": caughtBy(["bind.repeated"], (store) => {
    const bound = new Set<string>();
    return {
      bind: async (binding) => {
        const { operationId, fingerprint } = binding;
        if (bound.has(operationId)) return { outcome: "exists", operationId, fingerprint };
        const result = await store.bind(binding);
        if (result.outcome === "bound") bound.add(operationId);
        return result;
      },
    };
  }),
  "confuses the keys of different tenants": caughtBy(
    ["bind.tenant", "bind.names", "bind.separators"],
    (store) => ({ bind: (binding) => store.bind({ ...binding, tenant: "" }) }),
  ),
  "confuses the keys of different definitions": caughtBy(
    ["bind.tenant", "bind.names", "bind.separators"],
    (store) => ({ bind: (binding) => store.bind({ ...binding, definition: "" }) }),
  ),
  "joins the parts of a key with a separator": caughtBy(["bind.separators"], (store) => ({
    bind: (binding) => {
      const key = [binding.tenant, binding.definition, binding.key].join(":");
      return store.bind({ ...binding, tenant: "", definition: "", key });
    },
  })),
  "joins the parts of a key without a separator": caughtBy(["bind.separators"], (store) => ({
    bind: (binding) => {
      const key = `${binding.tenant}${binding.definition}${binding.key}`;
      return store.bind({ ...binding, tenant: "", definition: "", key });
    },
  })),
  "ignores the case of keys": caughtBy(["bind.names"], (store) => ({
    bind: (binding) => store.bind({ ...binding, key: binding.key.toLowerCase() }),
  })),
  "trims spaces at the ends of keys": caughtBy(["bind.names"], (store) => ({
    bind: (binding) => store.bind({ ...binding, key: binding.key.trim() }),
  })),
  "truncates long keys": caughtBy(["bind.names"], (store) => ({
    bind: (binding) => store.bind({ ...binding, key: binding.key.slice(0, 254) }),
  })),
  "lets bindings expire": caughtBy(["bind.stays"], (store, clock) => {
    const dayMs = 24 * 3_600_000;
    return {
      bind: async (binding) => {
        const releaseLater = () => void store.release(binding);
        const result = await store.bind(binding);
        if (result.outcome === "bound") clock.schedule(dayMs, releaseLater);
        return result;
      },
    };
  }),
  "finds released keys": caughtBy(["find.bound"], (store) => {
    const bindings: KeyBinding[] = [];
    return {
      bind: async (binding) => {
        bindings.push(binding);
        return store.bind(binding);
      },
      find: async ({ tenant, definition, key }) =>
        bindings.find((each) => each.tenant === tenant && each.definition === definition && each.key === key),
    };
  }),
});
