import type { OutputPosition } from "../../contract/output.js";
import type { Observer } from "../../ports/observer.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { Clock } from "../../ports/runtime.js";
import { pollMsOf } from "../following/parking.js";
import type { Places } from "../following/places.js";
import type { WaitSettings } from "../following/wait-ends.js";
import { createFollowedOutput, type FollowedOutput } from "./followed-output.js";
import { createFollower, type Follower } from "./follower.js";
import { createOutputReader, type ReadOutput } from "./output-reader.js";

/** An output that a caller wants to follow. */
interface Interest extends WaitSettings {
  /** Id of the operation. */
  readonly id: string;
  /** Tenant of the caller, who may see the operation. */
  readonly tenant: string;
  /** Place to read from. */
  readonly after: OutputPosition;
}

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
}

/** Dependencies of {@link createOutputHub}. */
export interface OutputHubOptions {
  readonly output: OutputStore;
  readonly operations: OperationStore;
  readonly runtime: { readonly clock: Clock };
  readonly observe: Observer;
  readonly places: Places;
  /** Applies the time limit of store calls. */
  readonly inTime: <T>(call: Promise<T>) => Promise<T>;
}

/** Creates a hub. It has a timer and watches the store only while there are followers. */
export function createOutputHub({
  output,
  operations,
  runtime: { clock },
  observe,
  places,
  inTime,
}: OutputHubOptions): OutputHub {
  const read = createOutputReader(output, inTime);
  const report = (error: unknown): void => observe({ event: "background.failed", step: "watch-read", error });
  const pollMs = pollMsOf(operations);
  const followed = new Map<string, FollowedOutput>();
  /** The observer receives one event per outage. */
  let isFailing = false;
  let stop: (() => void) | undefined;

  function changed(id?: string): void {
    if (id !== undefined) followed.get(id)?.changed();
    else for (const each of followed.values()) each.changed();
  }

  /** Notifications can get lost, so it also looks at everything now and then. */
  function start(): () => void {
    const unwatch = [output.watch(changed), operations.watch?.(changed)];
    const poll = (): void => {
      cancelPoll = clock.schedule(pollMs, poll);
      changed();
    };
    let cancelPoll = clock.schedule(pollMs, poll);
    return () => {
      cancelPoll();
      for (const end of unwatch) end?.();
    };
  }

  function open(id: string): FollowedOutput {
    const known = followed.get(id);
    if (known !== undefined) return known;
    const opened = createFollowedOutput({
      read: (after) => read(id, after),
      onRead: (error) => {
        if (error !== undefined && !isFailing) report(error);
        isFailing = error !== undefined;
      },
      onEmpty: () => leave(id),
    });
    followed.set(id, opened);
    stop ??= start();
    return opened;
  }

  function leave(id: string): void {
    followed.delete(id);
    if (followed.size > 0) return;
    stop?.();
    stop = undefined;
  }

  return {
    read,
    follow: ({ id, after, ...wait }) => createFollower(places, wait, () => open(id), after),
  };
}
