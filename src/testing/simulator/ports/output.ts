import type { OutputStore } from "../../../ports/output-store.js";
import type { Stage } from "../stage.js";
import { AT_APPEND, AT_CHECKPOINT } from "../world/fates.js";
import { short } from "../world/names.js";
import type { Process } from "../world/process.js";
import { watchSome } from "./store-ports.js";

/** Length of a slice. Small, so that other events can happen between the parts of an output. UTF-16 code units. */
const SLICE_LENGTH = 20;

/** How an append that saves a checkpoint fails. Its repetition and the next checkpoint can arrive before it. */
const AT_SAVE = { fates: AT_CHECKPOINT, overtakenBy: 2 };

/** Wraps an output store for one process of the world. */
export function outputOf(store: OutputStore, process: Process, { world, ledger }: Stage): OutputStore {
  return {
    begun: (lease) =>
      world.call(process, `begun(${short(lease.operationId)} ${lease.token})`, async () => {
        const state = await store.begun(lease);
        ledger.outputs.stands(lease, state);
        return state;
      }),
    append: (appends) => {
      const about = appends.map(({ lease: { operationId, token }, from, chunks, checkpoint }) => {
        const saved = checkpoint === undefined ? "" : ` ${checkpoint.value}`;
        return `${short(operationId)} ${token} ${from}+${chunks.length}${saved}`;
      });
      const append = async (): ReturnType<OutputStore["append"]> => {
        const results = await store.append(appends).catch((error: unknown) => {
          for (const each of appends) ledger.mayHaveAppended(each);
          throw error;
        });
        for (const [index, each] of appends.entries()) ledger.appended(each, results[index] ?? "lost");
        return results;
      };
      if (appends.every(({ checkpoint }) => checkpoint === undefined))
        return world.call(process, `append(${about.join(", ")})`, append, { fates: AT_APPEND });
      return world.call(process, `save(${about.join(", ")})`, append, AT_SAVE);
    },
    read: (requests) => {
      const about = requests.map(({ id, after }) => `${short(id)} ${after?.count ?? 0}`);
      return world.call(process, `read(${about})`, async () => {
        const slices = await store.read(requests.map((each) => ({ ...each, maxLength: SLICE_LENGTH })));
        for (const [index, each] of requests.entries()) ledger.outputs.read(each, slices[index]);
        return slices;
      });
    },
    watch: (onAppend) => watchSome(process, world, ledger.outputs.watchers, onAppend),
    clean: (request) => world.call(process, "clean", () => store.clean(request)),
  };
}
