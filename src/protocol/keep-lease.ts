import type { JsonText } from "../contract/operation.js";
import type { Lease, OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";

export interface KeepLeaseOptions {
  readonly operations: OperationStore;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Called once when another process holds the lease. Renewals have then stopped. */
  readonly onLost: () => void;
  readonly onCancelRequested: () => void;
  /** Called when a renewal failed. It is retried. */
  readonly onError: (error: unknown) => void;
}

export interface KeptLease {
  /** Renews at once and stores this progress. During a renewal or a pause, only the latest value waits. */
  progress(value: JsonText): void;
  /** Pauses renewals while something else protects the operation, such as a transaction. */
  pause(): void;
  /** Resumes renewals. Renews at once, because the lease may have expired meanwhile. */
  resume(): void;
  /** Stops renewals for good. */
  stop(): void;
}

/** Renews a lease every third of its duration until it is stopped or lost. */
export function keepLease(options: KeepLeaseOptions): KeptLease {
  const { operations, lease, leaseMs, clock, onLost, onCancelRequested, onError } = options;
  let stopped = false;
  let paused = false;
  let renewing = false;
  let waitingProgress: JsonText | undefined;
  let cancelTimer = scheduleNext();

  function scheduleNext(): () => void {
    return clock.schedule(Math.ceil(leaseMs / 3), () => void renew());
  }

  async function renew(): Promise<void> {
    if (stopped || paused || renewing) return;
    cancelTimer();
    renewing = true;
    const progress = waitingProgress;
    waitingProgress = undefined;
    try {
      const renewed = await operations.renew(lease, {
        leaseMs,
        ...(progress === undefined ? {} : { progress }),
      });
      if (!stopped) react(renewed);
    } catch (error) {
      waitingProgress ??= progress;
      if (!stopped && !paused) onError(error);
    }
    renewing = false;
    if (!stopped && !paused) cancelTimer = scheduleNext();
  }

  function react(renewed: Awaited<ReturnType<OperationStore["renew"]>>): void {
    if (renewed.outcome === "lost") {
      stop();
      onLost();
    } else if (renewed.cancelRequested) onCancelRequested();
    if (waitingProgress !== undefined) queueMicrotask(() => void renew());
  }

  function stop(): void {
    stopped = true;
    cancelTimer();
  }

  return {
    progress: (value) => {
      waitingProgress = value;
      void renew();
    },
    pause: () => {
      paused = true;
      cancelTimer();
    },
    resume: () => {
      paused = false;
      void renew();
    },
    stop,
  };
}
