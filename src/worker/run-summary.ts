import type { Observer, ServiceEvent } from "../ports/observer.js";
import type { AttemptOutcome } from "../telemetry/messages.js";

/** Result of a run of a worker. The counts are attempts, and are named like the events of the observer. */
export interface RunSummary {
  /** Attempts that completed their operation. */
  readonly completed: number;
  /** Attempts after which their operation failed or was cancelled. */
  readonly failed: number;
  /** Attempts that failed and will be retried. */
  readonly retried: number;
  /** Attempts that were released and do not count, such as those that were interrupted at the end of the time. */
  readonly released: number;
  /** Attempts whose result was dropped, because another worker had taken over the operation. */
  readonly lost: number;
  /** Whether the run ended because nothing was due. Otherwise there may be more work, so call again. */
  readonly idle: boolean;
}

const OUTCOMES: Readonly<Partial<Record<ServiceEvent["event"], AttemptOutcome>>> = {
  "operation.completed": "completed",
  "operation.failed": "failed",
  "operation.retried": "retried",
  "operation.released": "released",
  "attempt.lost": "lost",
};

/** Returns an observer that counts how attempts end before it passes events on, and the counts so far. */
export function countOutcomes(observe: Observer): {
  readonly observe: Observer;
  readonly counts: Readonly<Record<AttemptOutcome, number>>;
} {
  const counts: Record<AttemptOutcome, number> = {
    completed: 0,
    failed: 0,
    retried: 0,
    released: 0,
    lost: 0,
  };
  return {
    counts,
    observe: (event) => {
      const outcome = OUTCOMES[event.event];
      if (outcome !== undefined) counts[outcome] += 1;
      observe(event);
    },
  };
}
