import type { Delivery } from "../../ports/queue.js";
import type { Clock } from "../../ports/runtime.js";
import { type Listening, PAUSE_AFTER_FAILURE_MS } from "./lane.js";

/** One wait for deliveries on several lanes. The first delivery ends it. */
export interface Round {
  /** How each lane listens. */
  readonly listening: Omit<Listening, "count">;
  readonly taken: readonly Delivery[];
  /** Errors of lanes before the round was closed. */
  readonly errors: readonly unknown[];
  end(): void;
  /** Ends the round soon, so that the next one uses the lanes again that cannot listen now. */
  endSoon(): void;
  /** Keeps the error of a lane, and ends the round if every lane has failed. */
  fail(error: unknown): void;
  /** Refuses later deliveries, and reports later errors. */
  close(): void;
}

interface RoundOptions {
  /** Number of lanes that listen. */
  readonly lanes: number;
  /** Maximum number of deliveries. */
  readonly limit: number;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** Starts a round. */
export function startRound({ lanes, limit, clock, report }: RoundOptions): Round {
  const taken: Delivery[] = [];
  const errors: unknown[] = [];
  let closed = false;
  let cancel: () => void = () => {};
  let resolve: () => void = () => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });

  function end(): void {
    cancel();
    resolve();
  }

  function endSoon(): void {
    cancel();
    cancel = clock.schedule(PAUSE_AFTER_FAILURE_MS, resolve);
  }

  return {
    listening: {
      ended,
      // Several definitions can bring more than the limit together. Other workers may have free slots.
      hasRoom: () => !closed && taken.length < limit,
      onDelivery: (delivery) => {
        taken.push(delivery);
        end();
      },
    },
    taken,
    errors,
    end,
    endSoon,
    fail: (error) => {
      if (closed) return report(error);
      errors.push(error);
      if (errors.length === lanes) end();
      else endSoon();
    },
    close: () => {
      closed = true;
      cancel();
    },
  };
}
