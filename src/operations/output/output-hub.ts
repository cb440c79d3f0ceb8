import type { OutputPosition } from "../../contract/output.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { HubOptions } from "../following/hub.js";
import { createSpots, pollMsOf } from "../following/spots.js";
import { createFollower, type Follower, type Interest } from "./follower.js";
import { createOutputReader, type ReadOutput, type SharedSlice } from "./output-reader.js";

/**
 * Tells callers when outputs grow, end or are discarded. It reads the store once for each change, regardless of how many callers
 * follow the output, and reads nothing without followers.
 */
export interface OutputHub {
  /**
   * Follows an output. Returns `undefined` if there is no place for this tenant, or if the signal is already aborted. Followers
   * end with their places.
   */
  follow(interest: Interest): Follower | undefined;
  /** Reads a part of an output once. */
  readonly read: ReadOutput;
  /** Stops to watch the store. */
  close(): void;
}

/** Dependencies of {@link createOutputHub}. */
export interface OutputHubOptions extends HubOptions {
  readonly output: OutputStore;
}

/** Creates a hub. It has no timer and does not watch the store before the first follower. */
export function createOutputHub(options: OutputHubOptions): OutputHub {
  const { output, operations, runtime, observe, places, inTime } = options;
  const read = createOutputReader(output, inTime);
  const spots = createSpots<OutputPosition, SharedSlice | undefined>({
    read,
    keyOf: ({ epoch, count }) => `${epoch}_${count}`,
    // The operation tells when an output ends or is discarded.
    watch: (changed) => [output.watch(changed), operations.watch?.(changed)],
    pollMs: pollMsOf(operations),
    runtime,
    observe,
  });
  return {
    read,
    follow: (interest) => createFollower(places, spots, interest),
    close: spots.close,
  };
}
