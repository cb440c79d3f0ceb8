import type { IdempotencyStore } from "async-request-reply";
import type { Claim, ClaimResult } from "async-request-reply/ports";
import { nextTurn } from "../../../src/ports/waits.js";
import { type BrokenPort, sharingAnswers } from "./prove.js";

/** Stores that break a rule of claiming a key. */
export const claimStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "lets the last claim win",
    caughtBy: ["claim.exists", "claim.race", "claim.tenant", "claim.repeated"],
    methods: (store) => {
      const last = new Map<string, Claim>();
      return {
        claim: async (claim) => {
          const name = JSON.stringify([claim.tenant, claim.definition, claim.key]);
          const before = last.get(name);
          if (before !== undefined) await store.release(before);
          last.set(name, claim);
          return store.claim(claim);
        },
      };
    },
  },
  {
    name: "reads before it claims",
    caughtBy: ["claim.race", "claim.races", "release.race"],
    methods: (store) => {
      const held = new Map<string, ClaimResult>();
      return {
        claim: async (claim) => {
          const known = held.get(claim.key);
          await nextTurn();
          if (known !== undefined) return store.claim(claim);
          held.set(claim.key, await store.claim(claim));
          return { outcome: "claimed" };
        },
        release: async (owner) => {
          held.delete(owner.key);
          await store.release(owner);
        },
      };
    },
  },
  {
    name: "returns one result to different concurrent claims",
    caughtBy: ["claim.race", "claim.races", "release.race"],
    methods: (store) => ({ claim: sharingAnswers((claim: Claim) => store.claim(claim)) }),
  },
  {
    name: "forgets the fingerprint of the first claim",
    caughtBy: ["claim.exists", "claim.race"],
    methods: (store) => ({
      claim: async (claim) => {
        const result = await store.claim(claim);
        return result.outcome === "exists" ? { ...result, fingerprint: claim.fingerprint } : result;
      },
    }),
  },
  {
    name: "returns `exists` to the holder of the key",
    caughtBy: ["claim.repeated"],
    methods: (store) => {
      const claimed = new Set<string>();
      return {
        claim: async (claim) => {
          const { operationId, fingerprint } = claim;
          if (claimed.has(operationId)) return { outcome: "exists", operationId, fingerprint };
          const result = await store.claim(claim);
          if (result.outcome === "claimed") claimed.add(operationId);
          return result;
        },
      };
    },
  },
  {
    name: "confuses the keys of different tenants",
    caughtBy: ["claim.tenant", "claim.names", "claim.separators"],
    methods: (store) => ({ claim: (claim) => store.claim({ ...claim, tenant: "" }) }),
  },
  {
    name: "confuses the keys of different definitions",
    caughtBy: ["claim.tenant", "claim.names", "claim.separators"],
    methods: (store) => ({ claim: (claim) => store.claim({ ...claim, definition: "" }) }),
  },
  {
    name: "joins the parts of a key with a separator",
    caughtBy: ["claim.separators"],
    methods: (store) => ({
      claim: (claim) => {
        const key = [claim.tenant, claim.definition, claim.key].join(":");
        return store.claim({ ...claim, tenant: "", definition: "", key });
      },
    }),
  },
  {
    name: "joins the parts of a key without a separator",
    caughtBy: ["claim.separators"],
    methods: (store) => ({
      claim: (claim) => {
        const key = `${claim.tenant}${claim.definition}${claim.key}`;
        return store.claim({ ...claim, tenant: "", definition: "", key });
      },
    }),
  },
  {
    name: "ignores the case of keys",
    caughtBy: ["claim.names"],
    methods: (store) => ({ claim: (claim) => store.claim({ ...claim, key: claim.key.toLowerCase() }) }),
  },
  {
    name: "trims spaces at the ends of keys",
    caughtBy: ["claim.names"],
    methods: (store) => ({ claim: (claim) => store.claim({ ...claim, key: claim.key.trim() }) }),
  },
  {
    name: "truncates long keys",
    caughtBy: ["claim.names"],
    methods: (store) => ({ claim: (claim) => store.claim({ ...claim, key: claim.key.slice(0, 254) }) }),
  },
  {
    name: "lets claims expire",
    caughtBy: ["claim.stays"],
    methods: (store, clock) => {
      const dayMs = 24 * 3_600_000;
      return {
        claim: async (claim) => {
          const releaseLater = () => void store.release(claim);
          const result = await store.claim(claim);
          if (result.outcome === "claimed") clock.schedule(dayMs, releaseLater);
          return result;
        },
      };
    },
  },
  {
    name: "finds released keys",
    caughtBy: ["find.bound"],
    methods: (store) => {
      const claims: Claim[] = [];
      return {
        claim: async (claim) => {
          claims.push(claim);
          return store.claim(claim);
        },
        find: async ({ tenant, definition, key }) =>
          claims.find((each) => each.tenant === tenant && each.definition === definition && each.key === key),
      };
    },
  },
];
