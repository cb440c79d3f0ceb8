import type { Operation } from "../contract/operation.js";
import type { Backend } from "../ports/backend.js";
import type { AttemptEvent, Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../protocol/announcer.js";
import type { LeaseKeeping } from "../protocol/keep-lease.js";
import type { RetryAfterEstimate } from "../protocol/retry-after.js";
import type { Running } from "./attempt/running.js";
import type { Latch } from "./latch.js";
import type { CheckedProcessor } from "./processors.js";
import type { WorkerSettings } from "./settings.js";
import type { Suspects } from "./suspects.js";

/** Dependencies shared by all parts of a worker. */
export interface WorkerContext {
  readonly processors: ReadonlyMap<string, CheckedProcessor>;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly settings: WorkerSettings;
  readonly announcer: Announcer;
  readonly estimate: RetryAfterEstimate | undefined;
  readonly observe: Observer;
  readonly suspects: Suspects;
  readonly running: Running;
  readonly leases: LeaseKeeping;
  /** Raised when no new work may begin. */
  readonly draining: Latch;
  /** Raised when the worker stops waiting for running attempts. */
  readonly stopping: Latch;
}

/** Returns the members of an event about the current attempt of an operation. */
export function eventAbout({
  id: operationId,
  definition,
  tenant,
  principal,
  attempt,
}: Operation): AttemptEvent {
  return principal === undefined
    ? { operationId, definition, tenant, attempt }
    : { operationId, definition, tenant, principal, attempt };
}

/** Reports an error that does not stop the worker. */
export function reportError({ observe }: Pick<WorkerContext, "observe">, step: string, error: unknown): void {
  observe({ event: "background.failed", step, error });
}
