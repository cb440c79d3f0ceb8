import { isTerminal } from "../../contract/operation.js";
import { isSamePosition, type OutputPosition } from "../../contract/output.js";
import type { Places, WaitSettings } from "../following/places.js";
import type { Spots } from "../following/spots.js";
import { createWaiter, type Waiter } from "../following/waiter.js";
import type { SharedSlice } from "./output-reader.js";

/** An output that a caller wants to follow. */
export interface Interest extends WaitSettings {
  /** Id of the operation. */
  readonly id: string;
  /** Tenant of the caller, who may see the operation. */
  readonly tenant: string;
  /** Place to read from. */
  readonly after: OutputPosition;
}

/**
 * Reads an output part by part, and moves on: to chunks, to where chunks were discarded, or to the end of the operation. Holds
 * nothing that was read, so it can be as slow as it likes.
 */
export interface Follower extends Waiter<SharedSlice> {
  /**
   * Reads from the place of the follower, and moves on. Other than `next`, returns also if there is no news. Returns `undefined`
   * for an unknown operation.
   *
   * Throws `STORE_UNAVAILABLE`.
   */
  read(): Promise<SharedSlice | undefined>;
}

/** Creates a follower. Returns `undefined` if there is no place for it. */
export function createFollower(
  places: Places,
  spots: Spots<OutputPosition, SharedSlice | undefined>,
  { id, after, ...wait }: Interest,
): Follower | undefined {
  let spot = spots.enter(id, after);
  let isOver = false;

  function moveOn(slice: SharedSlice): SharedSlice {
    if (isOver) return slice;
    const isCurrent = slice.upToDate && !isTerminal(slice.state);
    spot = spots.move(spot, slice.end, spot.isStale || !isCurrent);
    return slice;
  }

  const waiter = createWaiter<SharedSlice>(places, wait, {
    take: (wake) => {
      const { last, place } = spot;
      if (last !== undefined && last.found === undefined) return "gone";
      if (last?.found !== undefined && isNews(last.found, place)) return moveOn(last.found);
      return spots.wait(spot, wake);
    },
    leave: (wake) => {
      isOver = true;
      spots.leave(spot, wake);
    },
  });
  return (
    waiter && {
      ...waiter,
      read: async () => {
        const slice = await spots.read(spot);
        return slice && moveOn(slice);
      },
    }
  );
}

function isNews({ chunks, start, state }: SharedSlice, place: OutputPosition): boolean {
  return chunks.length > 0 || isTerminal(state) || !isSamePosition(start, place);
}
