import { claimingOne, NOTHING } from "../changed-claims.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of pausing. */
export const pausingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "does not say what it keeps",
    caughtBy: ["keeps.named"],
    methods: () => ({ keeps: [] }),
  },
  {
    name: "never pauses",
    caughtBy: ["pause.stops", "pause.resumes", "pause.accepts", "pause.shown"],
    methods: () => ({ pause: async () => {} }),
  },
  {
    name: "counts an attempt that did not begin",
    caughtBy: ["pause.stops"],
    methods: (store) => ({
      claim: claimingOne(store, async (id, request) => {
        const claimed = await store.claim(request);
        if (!claimed.blocked) return claimed;
        const definition = store.created.get(id)?.definition ?? "";
        await store.resume(definition);
        const { begun } = await store.claim(request);
        if (begun.length > 0) await store.seize(id);
        await store.pause(definition);
        return claimed;
      }),
    }),
  },
  {
    name: "pauses all definitions at once",
    caughtBy: ["pause.stops", "pause.shown"],
    methods: (store) => ({
      pause: async (_, by) => {
        for (const definition of ["orders", "reports"]) await store.pause(definition, by);
      },
    }),
  },
  {
    name: "pauses forever",
    caughtBy: ["pause.stops", "pause.resumes", "pause.shown"],
    methods: () => ({ resume: async () => {} }),
  },
  {
    name: "counts pauses",
    caughtBy: ["pause.resumes", "pause.shown"],
    methods: (store) => {
      let pauses = 0;
      return {
        pause: (definition, by) => {
          pauses += 1;
          return store.pause(definition, by);
        },
        resume: async (definition) => {
          pauses = Math.max(0, pauses - 1);
          if (pauses === 0) await store.resume(definition);
        },
      };
    },
  },
  {
    name: "stops attempts that run",
    caughtBy: ["pause.running"],
    methods: (store) => ({
      pause: async (definition, by) => {
        for (const [id, operation] of store.created)
          if (operation.definition === definition) await store.seize(id);
        await store.pause(definition, by);
      },
    }),
  },
  {
    name: "pauses the creation of resources",
    caughtBy: ["pause.accepts"],
    methods: (store) => {
      const paused = new Set<string>();
      return {
        pause: async (definition, by) => {
          paused.add(definition);
          await store.pause(definition, by);
        },
        claim: claimingOne(store, async (id, request) => {
          const { definition = "" } = store.created.get(id) ?? {};
          const { state } = (await store.look(id)) ?? {};
          return state === "preparing" && paused.has(definition) ? NOTHING : store.claim(request);
        }),
      };
    },
  },
  {
    name: "keeps the last pause instead of the first one",
    caughtBy: ["pause.shown"],
    methods: (store) => ({
      pause: async (definition, by) => {
        await store.resume(definition);
        await store.pause(definition, by);
      },
    }),
  },
];
