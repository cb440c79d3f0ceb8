import type { MinutesStore } from "../../../ports/minutes-store.js";
import type { Process } from "../world/process.js";
import type { World } from "../world/world.js";

/** Wraps a store of minutes for one process of the world. */
export function minutesOf(store: MinutesStore, process: Process, world: World): MinutesStore {
  return {
    write: (rows) => {
      const about = rows.map(({ definition, minute }) => `${definition} ${(minute / 60_000) % 1_440}`);
      return world.call(process, `count(${about.join(", ")})`, () => store.write(rows));
    },
    fold: (request) => world.call(process, "fold", () => store.fold(request)),
    read: (request) => store.read(request),
  };
}
