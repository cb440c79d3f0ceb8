import type { JsonText } from "../contract/operation.js";
import type { Lease, OperationStore, Renewal } from "../ports/operation-store.js";
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
  /** Writes this progress at once, or 250 ms after the previous write. Only the latest value waits. */
  progress(value: JsonText): void;
  /** Renews at once, for example because the operation may be cancelled. */
  renew(): void;
  /** Pauses renewals while something else protects the operation, such as a transaction. */
  pause(): void;
  /** Resumes renewals. Renews at once, because the lease may have expired meanwhile. */
  resume(): void;
  /** Stops renewals for good. Returns the last progress, unless the store has confirmed it. */
  stop(): JsonText | undefined;
}

/** Pause between two writes of progress. Milliseconds. */
const PROGRESS_PAUSE_MS = 250;

/** Renews a lease every third of its duration until it is stopped or lost. */
export function keepLease(options: KeepLeaseOptions): KeptLease {
  const { operations, lease, leaseMs, clock, onLost, onCancelRequested, onError } = options;
  let stopped = false;
  let paused = false;
  let renewing = false;
  /** Whether a renewal was asked for while one was under way, which might have been too early to know why. */
  let renewsAgain = false;
  let cancelRenewal = renewLater();
  /** Latest progress, until the store has confirmed it. */
  let unwritten: JsonText | undefined;
  let progressRests = false;
  let cancelRest: () => void = () => {};

  function renewLater(): () => void {
    return clock.schedule(Math.ceil(leaseMs / 3), () => void renew());
  }

  async function renew(): Promise<void> {
    if (stopped || paused) return;
    renewsAgain = renewing;
    if (renewing) return;
    cancelRenewal();
    renewing = true;
    const renewed = await send({ leaseMs });
    renewing = false;
    if (stopped || paused) return;
    cancelRenewal = renewLater();
    if (renewsAgain) void renew();
    // Progress whose write failed is written again, now that the store answers.
    if (renewed) void writeProgress();
  }

  /** Writes progress without extending the lease, so that no index of the store changes. */
  async function writeProgress(): Promise<void> {
    if (stopped || paused || progressRests || unwritten === undefined) return;
    progressRests = true;
    const progress = unwritten;
    if ((await send({ progress })) && unwritten === progress) unwritten = undefined;
    if (stopped) return;
    cancelRest = clock.schedule(PROGRESS_PAUSE_MS, () => {
      progressRests = false;
      if (unwritten !== progress) void writeProgress();
    });
  }

  /** Returns whether the store has confirmed the change. */
  async function send(change: Renewal): Promise<boolean> {
    try {
      const renewed = await operations.renew(lease, change);
      if (stopped) return renewed.outcome === "renewed";
      if (renewed.outcome === "renewed") {
        if (renewed.cancelRequested) onCancelRequested();
        return true;
      }
      stop();
      onLost();
      return false;
    } catch (error) {
      if (!stopped && !paused) onError(error);
      return false;
    }
  }

  function stop(): JsonText | undefined {
    stopped = true;
    cancelRenewal();
    cancelRest();
    return unwritten;
  }

  return {
    progress: (value) => {
      unwritten = value;
      void writeProgress();
    },
    renew: () => void renew(),
    pause: () => {
      paused = true;
      cancelRenewal();
    },
    resume: () => {
      paused = false;
      void renew();
      void writeProgress();
    },
    stop,
  };
}
