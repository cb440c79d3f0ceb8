import { type OutputPosition, positionText } from "../../contract/output.js";
import type { SharedSlice } from "./output-reader.js";

/** A place of an output at which there are followers. They share what is read from here. */
interface Spot {
  readonly place: OutputPosition;
  /** Result of the last read, undefined for a deleted operation, or its error. Absent before the first read. */
  found?: { readonly slice: SharedSlice | undefined } | { readonly error: unknown };
  /** Calls that wake the followers that wait here. */
  readonly waiting: Set<() => void>;
}

/** An output that is followed. */
export interface FollowedOutput {
  /** Adds a follower to a place. If `known` is a spot, nothing has to be read that its last read did not find. */
  enter(place: OutputPosition, known?: Spot): Spot;
  /** Removes a follower. Forgets the read of a place without followers. */
  leave(spot: Spot): void;
  /** Reads from a spot, unless nothing has changed since its last read. Then wakes the followers that wait there. */
  look(spot: Spot): void;
  /** Reads from a spot, and returns once a read has ended that began after the call. */
  readNow(spot: Spot): Promise<void>;
  /** Reads for all followers that wait. */
  changed(): void;
}

/** Dependencies of {@link createFollowedOutput}. */
export interface FollowedOutputOptions {
  /** Reads the output from a place. */
  readonly read: (after: OutputPosition) => Promise<SharedSlice | undefined>;
  /** Called after each read, with its error if it failed. */
  readonly onRead: (error?: unknown) => void;
  /** Called when the last follower has left. */
  readonly onEmpty: () => void;
}

interface KnownSpot extends Spot {
  followers: number;
  /** Number of changes that had happened when the last read began. */
  changes: number;
  reading?: Promise<void> | undefined;
}

/** Creates an output without followers. */
export function createFollowedOutput({ read, onRead, onEmpty }: FollowedOutputOptions): FollowedOutput {
  const spots = new Map<string, KnownSpot>();
  let changes = 0;

  async function readInto(spot: KnownSpot): Promise<void> {
    const before = changes;
    try {
      spot.found = { slice: await read(spot.place) };
      onRead();
    } catch (error) {
      spot.found = { error };
      onRead(error);
    }
    spot.changes = before;
    spot.reading = undefined;
    for (const wake of spot.waiting) wake();
  }

  function start(spot: KnownSpot): Promise<void> {
    spot.reading ??= readInto(spot);
    return spot.reading;
  }

  return {
    enter: (place, known) => {
      const text = positionText(place);
      const spot = spots.get(text) ?? {
        place,
        waiting: new Set(),
        followers: 0,
        changes: (known as KnownSpot | undefined)?.changes ?? -1,
      };
      spot.followers += 1;
      spots.set(text, spot);
      return spot;
    },
    leave: (left) => {
      const spot = left as KnownSpot;
      spot.followers -= 1;
      if (spot.followers === 0) spots.delete(positionText(spot.place));
      if (spots.size === 0) onEmpty();
    },
    look: (spot) => {
      if ((spot as KnownSpot).changes < changes) void start(spot as KnownSpot);
    },
    readNow: async (spot) => {
      // It may have begun before a change of which the caller knows.
      await (spot as KnownSpot).reading;
      await start(spot as KnownSpot);
    },
    changed: () => {
      changes += 1;
      for (const spot of spots.values()) if (spot.waiting.size > 0) void start(spot);
    },
  };
}
