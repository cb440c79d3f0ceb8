import type { OperationState, Settlement } from "../../../contract/operation.js";
import type { BegunOperation } from "../../../ports/claim.js";
import { deadlineOf, type Entry, stateOf } from "./entry.js";

/** Notes that a lease began or was extended. */
export function leased(entry: Entry, leaseMs: number, now: number): void {
  entry.leaseEndsAt = now + leaseMs;
  entry.isVague = false;
}

/**
 * Counts an attempt with a new token. It shows whether the one before has ended by a settlement whose answer was lost.
 * Returns false if the one before still has a live lease.
 */
export function nextAttempt(
  entry: Entry,
  { operation: { attempt }, previousLost }: BegunOperation,
  now: number,
): boolean {
  const { attemptIfReleased, leaseEndsAt } = entry;
  const wasReleased = attemptIfReleased !== undefined && attempt === attemptIfReleased + 1;
  entry.attempt = (wasReleased ? attemptIfReleased : entry.attempt) + 1;
  entry.attemptIfReleased = undefined;
  entry.previousLost = previousLost;
  return wasReleased || leaseEndsAt <= now;
}

/** Notes that an attempt ended and left its operation unfinished, and when the operation is due again. */
export function released(entry: Entry, settlement: Settlement, now: number): void {
  entry.token = undefined;
  entry.attempt = attemptAfter(entry, settlement);
  entry.attemptIfReleased = undefined;
  entry.hasStarted = hasStartedAfter(entry, settlement);
  if (settlement.to === "prepared") {
    entry.previousLost = false;
    entry.dueAt = Math.max(now, entry.dueAt);
    entry.startBy = deadlineOf(entry.recorded, entry.dueAt);
  } else if (settlement.to === "retry") {
    entry.previousLost &&= !settlement.countAttempt;
    entry.dueAt = now + settlement.delayMs;
  }
}

/** Notes that an attempt may have ended, and returns the state in which that left its operation. */
export function mayBeReleased(entry: Entry, settlement: Settlement): OperationState {
  const { to } = settlement;
  entry.isVague = true;
  entry.hasStarted = hasStartedAfter(entry, settlement);
  if (to === "prepared" || to === "retry") entry.attemptIfReleased = attemptAfter(entry, settlement);
  if (to === "completed" || to === "failed") return to;
  if (to === "prepared") return "pending";
  return entry.cancelRequested ? "failed" : stateOf(entry);
}

/** Returns whether the work has started, after a settlement that may leave the operation unfinished. */
function hasStartedAfter({ hasStarted }: Entry, settlement: Settlement): boolean {
  if (settlement.to === "prepared") return false;
  return hasStarted || settlement.to !== "retry" || settlement.started !== false;
}

/** Returns the number of counted attempts after a settlement that leaves the operation unfinished. */
function attemptAfter({ attempt }: Entry, settlement: Settlement): number {
  if (settlement.to === "prepared") return 0;
  return settlement.to === "retry" && !settlement.countAttempt ? attempt - 1 : attempt;
}
