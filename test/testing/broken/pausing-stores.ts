import { claimingOne, NOTHING } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of pausing. */
export const pausingStores = named<TrackedStore>({
  "does not say what it keeps": caughtBy(["keeps.named"], () => ({ keeps: [] })),
  "never pauses": caughtBy(["pause.stops", "pause.resumes", "pause.accepts", "pause.shown"], () => ({
    pause: async () => {},
  })),
  "counts an attempt that did not begin": caughtBy(["pause.stops"], (store) =>
    claimingOne(store, async (id, request) => {
      const claimed = await store.claim(request);
      if (!claimed.blocked) return claimed;
      const definition = store.created.get(id)?.definition ?? "";
      await store.resume(definition);
      const { begun } = await store.claim(request);
      if (begun.length > 0) await store.seize(id);
      await store.pause(definition);
      return claimed;
    }),
  ),
  "pauses all definitions at once": caughtBy(["pause.stops", "pause.shown"], (store) => ({
    pause: async (_, by) => {
      for (const definition of ["orders", "reports"]) await store.pause(definition, by);
    },
  })),
  "pauses forever": caughtBy(["pause.stops", "pause.resumes", "pause.shown"], () => ({
    resume: async () => {},
  })),
  "counts pauses": caughtBy(["pause.resumes", "pause.shown"], (store) => {
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
  }),
  "stops attempts that run": caughtBy(["pause.running"], (store) => ({
    pause: async (definition, by) => {
      for (const [id, operation] of store.created)
        if (operation.definition === definition) await store.seize(id);
      await store.pause(definition, by);
    },
  })),
  "pauses the creation of resources": caughtBy(["pause.accepts"], (store) => {
    const paused = new Set<string>();
    return {
      pause: async (definition, by) => {
        paused.add(definition);
        await store.pause(definition, by);
      },
      ...claimingOne(store, async (id, request) => {
        const { definition = "" } = store.created.get(id) ?? {};
        const { state } = (await store.look(id)) ?? {};
        return state === "preparing" && paused.has(definition) ? NOTHING : store.claim(request);
      }),
    };
  }),
  "keeps the last pause instead of the first one": caughtBy(["pause.shown"], (store) => ({
    pause: async (definition, by) => {
      await store.resume(definition);
      await store.pause(definition, by);
    },
  })),
});
