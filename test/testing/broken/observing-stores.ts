import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of watching. */
export const observingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "notifies no watcher",
    caughtBy: ["watch.visible", "watch.progress", "watch.terminal", "watch.stopped", "deadline.watch"],
    methods: () => ({ watch: () => () => {} }),
  },
  {
    name: "notifies a watcher only once of each operation",
    caughtBy: ["watch.visible", "watch.progress", "watch.terminal"],
    methods: (store) => ({
      watch: (onChange) => {
        const told = new Set<string | undefined>();
        const stop = store.watch?.((id) => {
          if (!told.has(id)) onChange(id);
          told.add(id);
        });
        return stop ?? (() => {});
      },
    }),
  },
  {
    name: "notifies a watcher of no attempt that begins",
    caughtBy: ["watch.attempt"],
    methods: (store) => {
      let isBeginning = false;
      return {
        claim: async (request) => {
          isBeginning = true;
          const claimed = store.claim(request);
          isBeginning = false;
          return claimed;
        },
        watch: (onChange) => store.watch?.((id) => isBeginning || onChange(id)) ?? (() => {}),
      };
    },
  },
  {
    name: "notifies only the latest watcher",
    caughtBy: ["watch.terminal"],
    methods: (store) => {
      let latest: (id?: string) => void = () => {};
      store.watch?.((id) => latest(id));
      return {
        watch: (onChange) => {
          latest = onChange;
          return () => {};
        },
      };
    },
  },
  {
    name: "still notifies a watcher that was stopped",
    caughtBy: ["watch.stopped"],
    methods: (store) => ({
      watch: (onChange) => {
        store.watch?.(onChange);
        return () => {};
      },
    }),
  },
];
