import type { Queue } from "../../../ports/queue.js";
import type { Hearing, Stage } from "../stage.js";
import type { Process } from "../world/process.js";

/** One of this many rings gets lost. */
const LOST_RING = 3;

/** Creates the queue of one process of the world. Its rings reach all processes, on the time of the world. */
export function ringsOf({ world, hearings }: Stage, process: Process): Queue {
  let rings = 0;
  return {
    publish: (published) =>
      world.call(process, `publish(${published.map(({ definition }) => definition)})`, async () => {
        const definitions = new Set(published.map(({ definition }) => definition));
        for (const { process: other, wanted, onRing } of hearings) {
          if (![...wanted].some((name) => definitions.has(name))) continue;
          rings += 1;
          if (!other.dead && rings % LOST_RING !== 0) world.deliver(other, onRing);
        }
      }),
    listen: ({ onRing }) => {
      const hearing: Hearing = { process, onRing, wanted: new Set() };
      hearings.add(hearing);
      return {
        want: (definitions) => {
          hearing.wanted = definitions;
        },
        close: async () => void hearings.delete(hearing),
      };
    },
    close: async () => {},
  };
}
