import type { JsonText } from "../contract/operation.js";
import type { Lease, OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";

export interface KeepLeaseOptions {
  readonly operations: OperationStore;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** The lease is somebody else's now. Called once; nothing is renewed after it. */
  readonly onLost: () => void;
  readonly onCancelRequested: () => void;
  /** A renewal failed; it will be tried again. */
  readonly onError: (error: unknown) => void;
}

export interface KeptLease {
  /** Renews at once and stores this progress. While a renewal is in progress or renewals are paused, the latest value waits. */
  progress(value: JsonText): void;
  /** Stops renewing until `resume` is called: something else protects the operation meanwhile. */
  pause(): void;
  /** Renews at once, because the lease may have ended meanwhile, and goes on. */
  resume(): void;
  /** Stops renewing for good. */
  stop(): void;
}

/** Renews a lease every third of its time until it is stopped or lost. */
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
