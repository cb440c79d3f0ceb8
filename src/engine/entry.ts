import type { Mutable } from "../contract/mutable.js";
import {
  isTerminal,
  type JsonText,
  type NewOperation,
  type Operation,
  type Settlement,
  transition,
} from "../contract/operation.js";
import { CANCELLED, EXPIRED } from "../contract/problem.js";
import type { BegunOperation, ClaimedDefinition } from "../ports/claim.js";
import type {
  CancelOutcome,
  InitialState,
  OverdueOperation,
  Renewal,
  RenewResult,
  SettleResult,
} from "../ports/operation-store.js";

/** The part of an operation that every step reads. Steps keep all other members. */
export type Stepped = Pick<Operation, "state" | "attempt" | "cancelRequested" | "startWithinMs">;

/**
 * Operation and the data that only its store knows. The functions below are its state machine. Each is one atomic
 * step: a store applies it to the stored entry and saves the entry in the same commit.
 */
export interface Entry<Stored extends Stepped = Operation> {
  /** Replaced and never changed, because callers get this object. */
  operation: Stored;
  /** Token of the current attempt, or of the one that ended the operation. */
  token: string | undefined;
  leaseEndsAt: number;
  dueAt: number;
  previousLost: boolean;
  /** Time when its delay is over. Epoch milliseconds. */
  readonly notBefore: number;
  /** Time when it expires, if {@link overdueFrom} returns it. Epoch milliseconds. Absent once a processor has started. */
  startBy: number | undefined;
  /** Whether it was ever `pending`. Only then is there work for a redrive to run again. */
  wasPending: boolean;
}

/** Creates the entry of a new operation. */
export function createEntry(operation: NewOperation, initial: InitialState | undefined, now: number): Entry {
  const preparing = initial?.state === "preparing" ? initial : undefined;
  const attempt = preparing === undefined ? 0 : 1;
  const { delayMs, startWithinMs } = operation;
  const notBefore = now + (delayMs ?? 0);
  const entry: Entry = {
    operation: toOperation(operation, preparing === undefined ? "pending" : "preparing", attempt, now),
    token: preparing?.token,
    leaseEndsAt: now + (preparing?.leaseMs ?? 0),
    dueAt: notBefore,
    previousLost: false,
    notBefore,
    startBy: initial === undefined ? deadlineOf(notBefore, startWithinMs) : undefined,
    wasPending: initial === undefined,
  };
  if (initial?.state === "failed") end(entry, now, "failed", { error: initial.error });
  return entry;
}

/**
 * Creates the stored operation. The common case is built one member at a time, because a copy cost more than the rest of a
 * submission.
 */
function toOperation(
  operation: NewOperation,
  state: "pending" | "preparing",
  attempt: number,
  createdAt: number,
): Operation {
  const { id, tenant, definition, principal, input, retentionMs, failedRetentionMs, key } = operation;
  const created: Mutable<Operation> = {
    id,
    tenant,
    definition,
    input,
    retentionMs,
    state,
    attempt,
    createdAt,
  };
  let common = 5;
  if (failedRetentionMs !== undefined) {
    created.failedRetentionMs = failedRetentionMs;
    common += 1;
  }
  if (principal !== undefined) {
    created.principal = principal;
    common += 1;
  }
  if (key !== undefined) {
    created.key = key;
    common += 1;
  }
  if (Object.keys(operation).length === common) return created;
  const { delayMs: _, ...members } = operation;
  return Object.assign(created, members);
}

/** Returns whether the same caller made this creation before and its answer was lost. */
export function isRepeatedCreation(entry: Entry, initial: InitialState | undefined): boolean {
  return (
    initial?.state === "preparing" && entry.operation.state === "preparing" && entry.token === initial.token
  );
}

/**
 * Begins an attempt of an entry that is due, or ends the entry if it is being cancelled. Returns `undefined` if neither is
 * possible.
 *
 * @param hasPlace called if only a place is missing. Default: there is one.
 */
export function begin(
  entry: Entry,
  now: number,
  { token, leaseMs }: Pick<ClaimedDefinition, "leaseMs"> & { readonly token: string },
  hasPlace: () => boolean = () => true,
): BegunOperation | "ended" | undefined {
  if (isTerminal(entry.operation.state)) return undefined;
  if (entry.token !== token) {
    if (!isDue(entry, now)) return undefined;
    if (entry.operation.cancelRequested === true) {
      end(entry, now, "failed", { error: CANCELLED });
      return "ended";
    }
    if (entry.operation.state === "pending" && !hasPlace()) return undefined;
    // A token without a settlement belongs to an attempt that lost its lease.
    if (entry.token !== undefined) entry.previousLost = true;
    entry.token = token;
    entry.operation = { ...entry.operation, attempt: entry.operation.attempt + 1 };
  }
  entry.leaseEndsAt = now + leaseMs;
  return { operation: entry.operation, previousLost: entry.previousLost };
}

/** Returns whether an entry that has not ended is due, has no live lease, and has not expired. */
export function isDue(entry: Entry, now: number): boolean {
  const dueAt = entry.token === undefined ? entry.dueAt : entry.leaseEndsAt;
  return now >= dueAt && now < (overdueFrom(entry) ?? Number.POSITIVE_INFINITY);
}

/** Returns the time when an entry expires. It does not during an attempt, or once an attempt was lost. */
export function overdueFrom({ token, previousLost, startBy, operation }: Entry): number | undefined {
  const mayExpire = token === undefined && !previousLost && !isTerminal(operation.state);
  return mayExpire ? startBy : undefined;
}

/** Ends an entry that is overdue. Returns what it has ended. */
export function endIfOverdue(entry: Entry, now: number): OverdueOperation | undefined {
  if (now < (overdueFrom(entry) ?? Number.POSITIVE_INFINITY)) return undefined;
  end(entry, now, "failed", { error: EXPIRED });
  const { id, definition, tenant, principal, createdAt } = entry.operation;
  const overdue = { id, definition, tenant, createdAt };
  return principal === undefined ? overdue : { ...overdue, principal };
}

export function renew(
  entry: Entry<Stepped>,
  now: number,
  token: string,
  { leaseMs, progress }: Renewal,
): RenewResult {
  if (!holds(entry, token)) return { outcome: "lost" };
  if (leaseMs !== undefined) entry.leaseEndsAt = Math.max(entry.leaseEndsAt, now + leaseMs);
  if (progress !== undefined) change(entry, { progress });
  return { outcome: "renewed", cancelRequested: entry.operation.cancelRequested === true };
}

export function settle(
  entry: Entry<Stepped>,
  now: number,
  token: string,
  settlement: Settlement,
): SettleResult {
  if (entry.token !== token) return { outcome: "lost" };
  const from = entry.operation.state;
  if (isTerminal(from)) return { outcome: "settled", state: from };
  const state = transition(from, settlement.to, entry.operation.cancelRequested);
  if (state === undefined) return { outcome: "lost" };
  if (settlement.to !== "prepared" && settlement.progress !== undefined)
    change(entry, { progress: settlement.progress });
  if (settlement.to === "completed" || settlement.to === "failed") end(entry, now, settlement.to, settlement);
  else if (state === "failed") end(entry, now, "failed", { error: CANCELLED });
  else if (settlement.to === "prepared") prepared(entry, now, settlement.resource);
  else retry(entry, now, settlement);
  return { outcome: "settled", state };
}

/** Returns whether the attempt with this token can still settle the operation. */
export function holds(entry: Entry<Stepped>, token: string): boolean {
  return entry.token === token && !isTerminal(entry.operation.state);
}

export function cancel(entry: Entry, now: number): CancelOutcome {
  if (entry.operation.state === "preparing") return "unknown";
  if (isTerminal(entry.operation.state)) return "terminal";
  if (hasLiveLease(entry, now)) {
    if (entry.operation.cancelRequested !== true) change(entry, { cancelRequested: true });
    return "requested";
  }
  end(entry, now, "failed", { error: CANCELLED });
  return "cancelled";
}

/** Takes an expired lease away, so that a late holder cannot renew it. */
export function release(entry: Entry<Stepped>): void {
  entry.token = undefined;
  entry.previousLost = true;
  // It is due since the end of its lease, not since it was first due.
  entry.dueAt = entry.leaseEndsAt;
}

/** Returns whether an attempt of a processor has begun and not ended, even if its lease has expired. */
export function isRunning({ token, operation }: Entry<Stepped>): boolean {
  return token !== undefined && operation.state === "pending";
}

/** Returns whether an attempt holds the entry now. */
export function hasLiveLease(entry: Entry<Stepped>, now: number): boolean {
  return entry.token !== undefined && now < entry.leaseEndsAt;
}

function deadlineOf(dueAt: number, startWithinMs: number | undefined): number | undefined {
  return startWithinMs === undefined ? undefined : dueAt + startWithinMs;
}

function prepared(entry: Entry<Stepped>, now: number, resource: JsonText): void {
  change(entry, { state: "pending", attempt: 0, resource });
  entry.token = undefined;
  entry.previousLost = false;
  entry.wasPending = true;
  entry.dueAt = Math.max(now, entry.notBefore);
  entry.startBy = deadlineOf(entry.dueAt, entry.operation.startWithinMs);
}

function retry(
  entry: Entry<Stepped>,
  now: number,
  { delayMs, countAttempt, started = true, lastError }: Extract<Settlement, { to: "retry" }>,
): void {
  if (countAttempt) entry.previousLost = false;
  else change(entry, { attempt: entry.operation.attempt - 1 });
  if (started) entry.startBy = undefined;
  if (lastError !== undefined) change(entry, { lastError });
  entry.token = undefined;
  entry.dueAt = now + delayMs;
}

type Outcome = Pick<Operation, "result" | "error" | "lastError">;
type Ended = Stepped & Outcome & Pick<Operation, "settledAt">;

// Sets its members one by one, because a second `...` takes several times as long.
function end(
  entry: Entry<Stepped>,
  now: number,
  state: "completed" | "failed",
  { result, error, lastError }: Outcome,
): void {
  const operation: Mutable<Ended> = { ...entry.operation, state, settledAt: now };
  if (result !== undefined) operation.result = result;
  if (error !== undefined) operation.error = error;
  if (lastError !== undefined) operation.lastError = lastError;
  entry.operation = operation;
}

function change(entry: Entry<Stepped>, members: Partial<Operation>): void {
  entry.operation = { ...entry.operation, ...members };
}
