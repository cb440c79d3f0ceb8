import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError } from "../contract/errors.js";
import type { Operation } from "../contract/operation.js";
import type { Minutes } from "../observing/minutes.js";
import type { Backend } from "../ports/backend.js";
import type { AttemptEvent, Observer, RunEvent, ServiceEvent, TimedEvent } from "../ports/observer.js";
import type { Lease, OperationStore } from "../ports/operation-store.js";
import type { OutputState } from "../ports/output-store.js";
import type { Runtime } from "../ports/runtime.js";
import type { Bell } from "../protocol/bell.js";
import type { LeaseKeeping } from "../protocol/keep-lease.js";
import type { RetryAfterEstimate } from "../protocol/retry-after.js";
import type { FlushBeat } from "./attempt/output/flush-beat.js";
import { type Latch, type Link, Links } from "./latch.js";
import type { CheckedProcessor } from "./processors.js";
import type { WorkerSettings } from "./settings.js";
import type { Suspects } from "./suspects.js";

/** Dependencies shared by all parts of a worker. */
export interface WorkerContext {
  readonly processors: ReadonlyMap<string, CheckedProcessor>;
  readonly backend: Backend;
  readonly runtime: Runtime;
  /** Returns the random id of the worker. Operators see which one ran an attempt. */
  readonly process: () => string;
  readonly settings: WorkerSettings;
  readonly bell: Bell;
  readonly estimate: RetryAfterEstimate | undefined;
  readonly observe: Observer;
  /** Absent if the back end keeps no minutes. */
  readonly minutes: Minutes | undefined;
  readonly suspects: Suspects;
  readonly running: Running;
  readonly leases: LeaseKeeping;
  readonly flushes: FlushBeat;
  /** Raised when no new work may begin. */
  readonly draining: Latch;
  /** Returns whether a checkpoint releases its operation, so that another worker or run continues it. */
  readonly isEnding: () => boolean;
  /** Raised when the worker stops waiting for running attempts. */
  readonly stopping: Latch;
}

/** An attempt that a claim has begun. */
export interface BegunAttempt {
  readonly lease: Lease;
  /** The operation as the attempt has begun it. */
  readonly operation: Operation;
  /** Whether the previous attempt lost its lease without being settled. */
  readonly previousLost: boolean;
  /** State of the output. Absent if the definition has neither output nor checkpoints. */
  readonly standing?: OutputState;
}

/** Returns whether attempts of a definition can have output or checkpoints. */
export function keepsOutput({ chunk, checkpoint }: OperationDefinition): boolean {
  return chunk !== undefined || checkpoint !== undefined;
}

/** Returns the number of attempts since the last checkpoint, with the current one. Attempts count from it. */
export function triesOf({
  operation: { attempt },
  standing,
}: Pick<BegunAttempt, "operation" | "standing">): number {
  return attempt - ((standing?.checkpoint?.attempt ?? 1) - 1);
}

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

  /** Stops waiting for all processors, because the worker is stopping. */
  interruptAll(): void {
    for (const attempt of this.#attempts.all())
      attempt.interrupt(new AsyncReplyError("WORKER_STOPPED", "The worker is stopping."));
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

/** Creates an event about the current attempt of an operation, as one literal: copying the members takes longer. */
export function attemptEvent<Name extends string>(
  event: Name,
  { id: operationId, definition, tenant, principal, attempt }: Operation,
): AttemptEvent & { readonly event: Name } {
  return principal === undefined
    ? { event, operationId, definition, tenant, attempt }
    : { event, operationId, definition, tenant, principal, attempt };
}

/** Creates an event about the start of an attempt in a worker, as one literal too. */
export function startEvent(
  { id: operationId, definition, tenant, principal, attempt, createdAt }: Operation,
  process: string,
): ServiceEvent {
  const event = "operation.started";
  return principal === undefined
    ? { event, operationId, definition, tenant, attempt, createdAt, process }
    : { event, operationId, definition, tenant, principal, attempt, createdAt, process };
}

/** Creates an event about the end of an operation, as one literal too. */
export function endEvent<Name extends string>(
  event: Name,
  { id: operationId, definition, tenant, principal, attempt, createdAt }: Operation,
  runMs: number | undefined,
): AttemptEvent & TimedEvent & RunEvent & { readonly event: Name } {
  return principal === undefined
    ? { event, operationId, definition, tenant, attempt, createdAt, runMs }
    : { event, operationId, definition, tenant, principal, attempt, createdAt, runMs };
}

/** Reports an error that does not stop the worker. */
export function reportError({ observe }: Pick<WorkerContext, "observe">, step: string, error: unknown): void {
  observe({ event: "background.failed", step, error });
}
