import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of watching or listing. */
export const observingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "tells a watcher nothing",
    caughtBy: ["watch.visible", "watch.progress", "watch.terminal", "watch.stopped"],
    methods: () => ({ watch: () => () => {} }),
  },
  {
    name: "tells a watcher once of each operation",
    caughtBy: ["watch.visible", "watch.progress", "watch.terminal"],
    methods: (store) => ({
      watch: (onChange) => {
        const told = new Set<string>();
        const stop = store.watch?.((id) => {
          if (!told.has(id)) onChange(id);
          told.add(id);
        });
        return stop ?? (() => {});
      },
    }),
  },
  {
    name: "tells the latest watcher only",
    caughtBy: ["watch.terminal"],
    methods: (store) => {
      let latest: (id: string) => void = () => {};
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
    name: "goes on telling a watcher that was stopped",
    caughtBy: ["watch.stopped"],
    methods: (store) => ({
      watch: (onChange) => {
        store.watch?.(onChange);
        return () => {};
      },
    }),
  },
  {
    name: "does not list what is hidden",
    caughtBy: ["list.everything"],
    methods: (store) => ({
      list: async (request) => ((await store.list?.(request)) ?? []).filter(({ hidden }) => hidden !== true),
    }),
  },
  {
    name: "lists without regard to the state",
    caughtBy: ["list.filters"],
    methods: (store) => ({
      list: async ({ state: _, ...request }) => (await store.list?.(request)) ?? [],
    }),
  },
  {
    name: "begins a page with the last of the page before",
    caughtBy: ["list.pages"],
    methods: (store) => ({
      list: async ({ after, ...request }) =>
        ((await store.list?.({ ...request, limit: 1_000 })) ?? [])
          .filter(({ id }) => after === undefined || id >= after)
          .slice(0, request.limit),
    }),
  },
  {
    name: "lists the newest first",
    caughtBy: ["list.everything", "list.filters", "list.pages"],
    methods: (store) => ({ list: async (request) => [...((await store.list?.(request)) ?? [])].reverse() }),
  },
];
