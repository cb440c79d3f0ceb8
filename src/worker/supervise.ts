import { AsyncReplyError } from "../core/errors.js";
import type { JsonText } from "../core/operation.js";
import type { Lease, OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import { keepLease } from "../steps/keep-lease.js";
import type { Latch } from "./latch.js";
import { LazyAbort } from "./lazy-abort.js";
import type { WorkerSettings } from "./settings.js";

/** What all attempts of a worker are supervised with. */
export interface SuperviseOptions {
  readonly operations: OperationStore;
  readonly clock: Clock;
  readonly settings: Pick<WorkerSettings, "leaseMs" | "attemptTimeoutMs">;
  /** Raised when the worker can wait no longer. */
  readonly stopping: Latch;
  readonly onError: (step: string, error: unknown) => void;
}

/** What stands between a processor and the rest of the world while it runs. */
export interface Supervision {
  /** For the processor. */
  readonly job: Pick<LazyAbort, "signal">;
  /** Waits for the work, and rejects when it must not be waited for any longer. */
  untilInterrupted<T>(work: Promise<T>): Promise<T>;
  /** Aborted when it is not waited for. */
  readonly abandoning: Pick<LazyAbort, "signal">;
  progress(value: JsonText): void;
  /** Leaves the lease to itself. */
  renewNoMore(): void;
  end(): void;
}

/** Keeps the lease of an attempt, counts its time, and passes on what should make its processor stop. */
export function supervise(lease: Lease, options: SuperviseOptions): Supervision {
  const { operations, clock, settings, stopping, onError } = options;
  const { leaseMs, attemptTimeoutMs } = settings;
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
    operations,
    lease,
    leaseMs,
    clock,
    onLost: () =>
      interrupt(new AsyncReplyError("LEASE_LOST", "The lease of the attempt went to somebody else.")),
    // No interruption: work that completes all the same counts.
    onCancelRequested: () => job.abort(new AsyncReplyError("CANCELLED", "The operation was cancelled.")),
    onError: (error) => onError("renew", error),
  });
  const timeIsUp = (): void =>
    interrupt(new AsyncReplyError("ATTEMPT_TIMEOUT", "The attempt took too long."));
  const cancelTimer = attemptTimeoutMs === undefined ? () => {} : clock.schedule(attemptTimeoutMs, timeIsUp);
  const stop = (): void => interrupt(new AsyncReplyError("WORKER_STOPPED", "The worker stops."));
  const cancelStop = stopping.onRaise(stop);

  return {
    job,
    untilInterrupted: (work) =>
      new Promise((resolve, reject) => {
        if (interruption !== undefined) reject(interruption);
        giveUp = reject;
        work.then(resolve, reject);
      }),
    abandoning,
    progress: kept.progress,
    renewNoMore: kept.stop,
    end: () => {
      kept.stop();
      cancelTimer();
      cancelStop();
    },
  };
}
