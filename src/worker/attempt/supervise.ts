import { AsyncReplyError } from "../../contract/errors.js";
import type { Lease } from "../../ports/operation-store.js";
import { type KeptLease, keepLease } from "../../protocol/keep-lease.js";
import { reportError, type WorkerContext } from "../context.js";
import type { ProcessorSettings } from "../settings.js";
import { LazyAbort } from "./lazy-abort.js";

/** Watches over one attempt while its processor runs. */
export interface Supervision {
  /** For the processor. */
  readonly job: Pick<LazyAbort, "signal">;
  /** Aborted when nothing waits for the work any longer. */
  readonly abandoning: LazyAbort;
  /** Renews the lease, with the progress of the processor. */
  readonly lease: KeptLease;
  /** Waits for the work. Rejects as soon as the attempt is interrupted. */
  untilInterrupted<T>(work: Promise<T>): Promise<T>;
  /** Ends the wait for the work with this reason, unless another came first. */
  interrupt(reason: AsyncReplyError): void;
  end(): void;
}

/** Keeps the lease of an attempt, counts its time, and passes on what should make its processor stop. */
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
      interrupt(new AsyncReplyError("LEASE_LOST", "The lease of the attempt went to somebody else.")),
    // No interruption: work that completes all the same counts.
    onCancelRequested: () => job.abort(new AsyncReplyError("CANCELLED", "The operation was cancelled.")),
    onError: (error) => reportError(context, "renew", error),
  });
  const timeIsUp = (): void =>
    interrupt(new AsyncReplyError("ATTEMPT_TIMEOUT", "The attempt took too long."));
  const cancelTimer = attemptTimeoutMs === undefined ? () => {} : clock.schedule(attemptTimeoutMs, timeIsUp);
  const stop = (): void => interrupt(new AsyncReplyError("WORKER_STOPPED", "The worker stops."));
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
      kept.stop();
      cancelTimer();
      cancelStop();
    },
  };
}
