import { AsyncReplyError } from "../../contract/errors.js";
import type { JsonText } from "../../contract/operation.js";
import type { Lease } from "../../ports/operation-store.js";
import { type KeptLease, keepLease } from "../../protocol/keep-lease.js";
import { reportError, type WorkerContext } from "../context.js";
import type { ProcessorSettings } from "../settings.js";

/** Supervises one attempt while its processor runs. */
export interface Supervision {
  /** Abort signal of the processor. */
  readonly job: Pick<LazyAbort, "signal">;
  /** Aborted when the worker no longer waits for the work. */
  readonly abandoning: LazyAbort;
  /** Renews the lease, with the progress of the processor. */
  readonly lease: KeptLease;
  /** Resolves with the work. Rejects as soon as the attempt is interrupted. */
  untilInterrupted<T>(work: Promise<T>): Promise<T>;
  /** Stops waiting for the work, with this reason unless there is an earlier one. */
  interrupt(reason: AsyncReplyError): void;
  /** Ends the supervision. Returns the last progress, unless the store has confirmed it. */
  end(): JsonText | undefined;
}

/** Renews the lease of an attempt, limits its time, and signals its processor when it should stop. */
export function supervise(
  lease: Lease,
  { leaseMs, attemptTimeoutMs }: Pick<ProcessorSettings, "leaseMs" | "attemptTimeoutMs">,
  context: WorkerContext,
): Supervision {
  const { clock } = context.runtime;
  const job = new LazyAbort();
  const abandoning = new LazyAbort();
  let interruption: AsyncReplyError | undefined;
  let giveUp: (reason: AsyncReplyError) => void = () => {};
  const interrupt = (reason: AsyncReplyError): void => {
    interruption ??= reason;
    job.abort(reason);
    abandoning.abort(reason);
    giveUp(reason);
  };

  const kept = keepLease({
    operations: context.backend.operations,
    lease,
    leaseMs,
    clock,
    onLost: () =>
      interrupt(new AsyncReplyError("LEASE_LOST", "Another attempt has taken over the operation.")),
    // This does not interrupt the attempt, because work that completes anyway counts.
    onCancelRequested: () => job.abort(new AsyncReplyError("CANCELLED", "The operation was cancelled.")),
    onError: (error) => reportError(context, "renew", error),
  });
  const forget = context.cancellations.add(lease.operationId, kept);
  const timeIsUp = (): void =>
    interrupt(
      new AsyncReplyError(
        "ATTEMPT_TIMEOUT",
        `The attempt did not end within ${attemptTimeoutMs} ms. To allow more time, raise \`attemptTimeoutMs\`.`,
      ),
    );
  const cancelTimer = attemptTimeoutMs === undefined ? () => {} : clock.schedule(attemptTimeoutMs, timeIsUp);
  const stop = (): void => interrupt(new AsyncReplyError("WORKER_STOPPED", "The worker is stopping."));
  const cancelStop = context.stopping.onRaise(stop);

  return {
    job,
    abandoning,
    lease: kept,
    interrupt,
    untilInterrupted: (work) =>
      new Promise((resolve, reject) => {
        if (interruption !== undefined) reject(interruption);
        giveUp = reject;
        work.then(resolve, reject);
      }),
    end: () => {
      cancelTimer();
      cancelStop();
      forget();
      return kept.stop();
    },
  };
}

/**
 * An AbortController that is created when its signal is first read. Few processors read it, and creating one takes as
 * long as creating all other objects of an attempt.
 */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Only the first reason counts. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
