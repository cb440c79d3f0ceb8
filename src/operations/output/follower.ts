import { isTerminal } from "../../contract/operation.js";
import { isSamePosition, type OutputPosition } from "../../contract/output.js";
import type { Places } from "../following/places.js";
import type { WaitSettings } from "../following/wait-ends.js";
import type { FollowedOutput } from "./followed-output.js";
import type { SharedSlice } from "./output-reader.js";

/** Reads an output part by part. Holds nothing that was read, so it can be as slow as it likes. */
export interface Follower {
  /**
   * Reads from the place of the follower, and moves on. Other than `next`, returns also if there is no news. Returns `undefined`
   * for an unknown operation.
   *
   * Throws `STORE_UNAVAILABLE`.
   */
  read(): Promise<SharedSlice | undefined>;
  /**
   * Resolves to the next part, and moves on: to chunks, to where chunks were discarded, or to the end of the operation. Resolves to
   * `undefined` if the wait is over, or if the operation was deleted.
   */
  next(): Promise<SharedSlice | undefined>;
  /** Resolves like `next`, or to `idle` if nothing happens within this time. Milliseconds. */
  nextWithin(ms: number): Promise<SharedSlice | "idle" | undefined>;
  /** Ends the wait and frees its place. Can be repeated. */
  close(): void;
}

/** Creates a follower of the output that `open` returns. Returns `undefined` if there is no place for it. */
export function createFollower(
  places: Places,
  wait: WaitSettings & { readonly tenant: string },
  open: () => FollowedOutput,
  after: OutputPosition,
): Follower | undefined {
  let isOver = false;
  let isIdle = false;
  let wake = (): void => {};
  let leave = (): void => {};
  const end = (): void => {
    isOver = true;
    leave();
    leave = () => {};
    wake();
  };
  const free = places.take(wait, end);
  if (free === undefined) return undefined;
  const output = open();
  let spot = output.enter(after);
  leave = () => output.leave(spot);
  // The wait may have been over from the start.
  if (isOver) end();

  function take(slice: SharedSlice): SharedSlice {
    if (isOver) return slice;
    const from = spot;
    const isCurrent = slice.upToDate && !isTerminal(slice.state);
    spot = output.enter(slice.end, isCurrent ? from : undefined);
    output.leave(from);
    return slice;
  }

  async function next(): Promise<SharedSlice | undefined> {
    while (!isOver && !isIdle) {
      const { found, place, waiting } = spot;
      if (found !== undefined && "slice" in found) {
        if (found.slice === undefined) return undefined;
        if (isNews(found.slice, place)) return take(found.slice);
      }
      output.look(spot);
      await new Promise<void>((resolve) => {
        wake = resolve;
        waiting.add(resolve);
      });
      waiting.delete(wake);
    }
    return undefined;
  }

  return {
    read: async () => {
      const from = spot;
      await output.readNow(from);
      const { found } = from;
      if (found === undefined || "error" in found) throw found?.error;
      return found.slice && take(found.slice);
    },
    next,
    nextWithin: async (ms) => {
      const deadline = places.after(ms, () => {
        isIdle = true;
        wake();
      });
      const slice = await next();
      deadline.cancel();
      const wasIdle = isIdle;
      isIdle = false;
      return slice ?? (wasIdle && !isOver ? "idle" : undefined);
    },
    close: () => {
      free();
      end();
    },
  };
}

function isNews({ chunks, start, state }: SharedSlice, place: OutputPosition): boolean {
  return chunks.length > 0 || isTerminal(state) || !isSamePosition(start, place);
}
