import { coalesce } from "../../batching/batches.js";
import type { OutputPosition } from "../../contract/output.js";
import type { OutputRequest, OutputSlice, OutputStore } from "../../ports/output-store.js";
import { createOnce, type Shared } from "../following/shared.js";

/** A part of an output, shared by all who read it from the same place. */
export interface SharedSlice extends OutputSlice, Shared {}

/**
 * Reads an output from a place. Returns `undefined` for an unknown operation.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export type ReadOutput = (id: string, after: OutputPosition) => Promise<SharedSlice | undefined>;

/** Outputs in one call of the store. */
const MAX_BATCH = 500;
/** Length of a slice at which it ends. UTF-16 code units. */
const MAX_LENGTH = 262_144;

/** Creates a reader. Reads that begin while the store answers others share the next call. */
export function createOutputReader(
  output: OutputStore,
  inTime: <T>(call: Promise<T>) => Promise<T>,
): ReadOutput {
  const read = coalesce<OutputRequest, SharedSlice | undefined>({
    maxBatch: MAX_BATCH,
    maxWaiting: Number.POSITIVE_INFINITY,
    flush: async (requests) => {
      const slices = await inTime(output.read(requests));
      return slices.map((slice) => slice && { ...slice, once: createOnce() });
    },
  });
  return (id, after) => read({ id, after, maxLength: MAX_LENGTH });
}
