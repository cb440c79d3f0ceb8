import { caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Stores that break a rule of watching. */
export const observingStores = named<TrackedStore>({
  "notifies no watcher": caughtBy(
    ["watch.visible", "watch.progress", "watch.terminal", "watch.stopped", "deadline.watch"],
    () => ({ watch: () => () => {} }),
  ),
  "notifies a watcher only once of each operation": caughtBy(
    ["watch.visible", "watch.progress", "watch.terminal"],
    (store) => ({
      watch: (onChange) => {
        const told = new Set<string | undefined>();
        const stop = store.watch?.((id) => {
          if (!told.has(id)) onChange(id);
          told.add(id);
        });
        return stop ?? (() => {});
      },
    }),
  ),
  "notifies a watcher of no attempt that begins": caughtBy(["watch.attempt"], (store) => {
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
  }),
  "notifies only the latest watcher": caughtBy(["watch.terminal"], (store) => {
    let latest: (id?: string) => void = () => {};
    store.watch?.((id) => latest(id));
    return {
      watch: (onChange) => {
        latest = onChange;
        return () => {};
      },
    };
  }),
  "still notifies a watcher that was stopped": caughtBy(["watch.stopped"], (store) => ({
    watch: (onChange) => {
      store.watch?.(onChange);
      return () => {};
    },
  })),
});
