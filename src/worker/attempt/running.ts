import type { AsyncReplyError } from "../../contract/errors.js";
import type { OperationStore } from "../../ports/operation-store.js";
import { type Link, Links } from "../links.js";

/** An attempt whose processor runs. */
export interface RunningAttempt {
  readonly operationId: string;
  /** Renews the lease at once. */
  renew(): void;
  /** Stops waiting for the processor, with this reason unless there is an earlier one. */
  interrupt(reason: AsyncReplyError): void;
}

/** The attempts of a worker whose processors run. */
export class Running {
  readonly #attempts = new Links<RunningAttempt>();

  /** Adds an attempt. Returns its place, to remove it. */
  add(attempt: RunningAttempt): Link<RunningAttempt> {
    return this.#attempts.add(attempt);
  }

  remove(place: Link<RunningAttempt>): void {
    this.#attempts.remove(place);
  }

  interruptAll(reason: AsyncReplyError): void {
    for (const attempt of this.#attempts.all()) attempt.interrupt(reason);
  }

  /**
   * Watches a store, if it notifies of cancellations, so that attempts learn of theirs at once. A notification is only a
   * hint: it makes the attempt renew its lease, and the store then says whether there is a request. Returns a function
   * that stops this.
   */
  watchCancellations(operations: OperationStore): (() => void) | undefined {
    return operations.watchCancellations?.((cancelled) => {
      for (const attempt of this.#attempts.all())
        if (cancelled === undefined || cancelled === attempt.operationId) attempt.renew();
    });
  }
}
