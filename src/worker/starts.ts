import type { BegunOperation } from "../ports/claim.js";
import type { HandleAttempt } from "./attempt/attempt.js";
import { reportError, type WorkerContext } from "./context.js";
import type { Slots } from "./slots.js";

/** Takes a slot for an attempt until it has ended, and calls `ended` before the slot is free. Never rejects. */
export type StartAttempt = (begun: BegunOperation, token: string, ended: () => void) => Promise<void>;

/** Creates the function that starts what a claim has begun. */
export function createStarts(context: WorkerContext, slots: Slots, attempt: HandleAttempt): StartAttempt {
  return ({ operation, previousLost }, token, ended) => {
    const { id: operationId, definition } = operation;
    const release = (): void => {
      ended();
      slots.release(definition);
    };
    slots.take(definition);
    // An attempt that fails must not affect the others or the process.
    return attempt({ lease: { operationId, token }, operation, previousLost }).then(
      release,
      (error: unknown) => {
        reportError(context, "attempt", error);
        release();
      },
    );
  };
}
