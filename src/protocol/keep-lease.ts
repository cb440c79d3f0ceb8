import type { JsonText, Settlement } from "../contract/operation.js";
import type { Deadline, Deadlines } from "../platform/waits.js";
import type { Lease, OperationStore, Renewal } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";

/** Dependencies shared by all leases of a worker. */
export interface LeaseKeeping {
  readonly operations: OperationStore;
  readonly clock: Clock;
  /** Calls for renewals. */
  readonly deadlines: Deadlines;
}

/** The work that a lease protects. */
export interface LeaseHolder {
  /** Called once when another process holds the lease. Renewals have then stopped. */
  onLost(): void;
  onCancelRequested(): void;
  /** Called when a renewal failed. It is retried. */
  onRenewalFailed(error: unknown): void;
}

/** Pause between two writes of progress. Milliseconds. */
const PROGRESS_PAUSE_MS = 250;

/** Renews a lease every third of its duration until it is stopped or lost. */
export class KeptLease {
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #holder: LeaseHolder;
  readonly #keeping: LeaseKeeping;
  readonly #renewWhenDue = (): void => this.renew();
  #renewal: Deadline;
  #stopped = false;
  #paused = false;
  /** Whether a renewal was due or asked for during a pause. */
  #missed = false;
  #renewing = false;
  /** Whether a renewal was asked for while one was under way, which might have been too early to know why. */
  #renewsAgain = false;
  /** Latest progress, until the store has confirmed it. */
  #unwritten: JsonText | undefined;
  /** Cancels the pause after a write of progress. Set from the write to the end of the pause. */
  #rest: (() => void) | undefined;

  constructor(lease: Lease, leaseMs: number, holder: LeaseHolder, keeping: LeaseKeeping) {
    this.#lease = lease;
    this.#leaseMs = leaseMs;
    this.#holder = holder;
    this.#keeping = keeping;
    this.#renewal = this.#renewLater();
  }

  /** Writes this progress at once, or 250 ms after the previous write. Only the latest value waits. */
  progress(value: JsonText): void {
    this.#unwritten = value;
    void this.#writeProgress();
  }

  /** Renews at once, for example because the operation may be cancelled. */
  renew(): void {
    if (this.#stopped) return;
    this.#missed = this.#paused;
    if (this.#paused) return;
    this.#renewsAgain = this.#renewing;
    if (!this.#renewing) void this.#renewNow();
  }

  /** Pauses renewals while something else protects the operation, such as a transaction. */
  pause(): void {
    this.#paused = true;
  }

  /** Resumes renewals. If one was due meanwhile, renews at once. */
  resume(): void {
    this.#paused = false;
    if (this.#missed) this.renew();
    void this.#writeProgress();
  }

  /** Stops renewals for good. */
  stop(): void {
    this.#stopped = true;
    this.#renewal.cancel();
    this.#rest?.();
  }

  /** Adds the last progress to a settlement, unless the store has confirmed it. Otherwise, it would not be written. */
  withProgress(settlement: Settlement): Settlement {
    const progress = this.#unwritten;
    return progress === undefined || settlement.to === "prepared" ? settlement : { ...settlement, progress };
  }

  #renewLater(): Deadline {
    return this.#keeping.deadlines.add(Math.ceil(this.#leaseMs / 3), this.#renewWhenDue);
  }

  async #renewNow(): Promise<void> {
    this.#renewal.cancel();
    this.#renewing = true;
    const renewed = await this.#send({ leaseMs: this.#leaseMs });
    this.#renewing = false;
    if (this.#stopped) return;
    this.#renewal = this.#renewLater();
    if (this.#renewsAgain) this.renew();
    // Progress whose write failed is written again, now that the store answers.
    if (renewed) void this.#writeProgress();
  }

  /** Writes progress without extending the lease, so that no index of the store changes. */
  async #writeProgress(): Promise<void> {
    const progress = this.#unwritten;
    if (this.#stopped || this.#paused || this.#rest !== undefined || progress === undefined) return;
    this.#rest = () => {};
    if ((await this.#send({ progress })) && this.#unwritten === progress) this.#unwritten = undefined;
    if (this.#stopped) return;
    this.#rest = this.#keeping.clock.schedule(PROGRESS_PAUSE_MS, () => {
      this.#rest = undefined;
      if (this.#unwritten !== progress) void this.#writeProgress();
    });
  }

  /** Returns whether the store has confirmed the change. */
  async #send(change: Renewal): Promise<boolean> {
    try {
      const renewed = await this.#keeping.operations.renew(this.#lease, change);
      if (this.#stopped) return renewed.outcome === "renewed";
      if (renewed.outcome === "renewed") {
        if (renewed.cancelRequested) this.#holder.onCancelRequested();
        return true;
      }
      this.stop();
      this.#holder.onLost();
      return false;
    } catch (error) {
      if (!this.#stopped && !this.#paused) this.#holder.onRenewalFailed(error);
      return false;
    }
  }
}
