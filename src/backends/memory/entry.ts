import {
  isTerminal,
  type JsonText,
  type NewOperation,
  type Operation,
  type Settlement,
  transition,
} from "../../core/operation.js";
import { CANCELLED } from "../../core/problem.js";
import type {
  BeginResult,
  CancelOutcome,
  InitialState,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import type { Scheduled } from "./schedule.js";

/** An operation with what only its store knows. The functions below are its state machine; each is one atomic step. */
export interface Entry extends Scheduled {
  /** Replaced, never changed: it is handed out as it is. */
  operation: Operation;
  /** Of the current attempt, or of the one that ended the operation. */
  token: string | undefined;
  leaseEndsAt: number;
  dueAt: number;
  /** How often it was handed out by `takeDue` since it began or became due. */
  round: number;
  previousLost: boolean;
  cancelRequested: boolean;
  /** Asked to be forgotten. */
  leaving: boolean;
}

const FIRST_ANNOUNCEMENT_MS = 30_000;
const MAX_ANNOUNCEMENT_MS = 3_600_000;

export function createEntry(operation: NewOperation, initial: InitialState | undefined, now: number): Entry {
  const preparing = initial?.state === "preparing" ? initial : undefined;
  const attempt = preparing === undefined ? 0 : 1;
  const entry: Entry = {
    operation: toOperation(operation, preparing === undefined ? "pending" : "preparing", attempt, now),
    token: preparing?.token,
    leaseEndsAt: now + (preparing?.leaseMs ?? 0),
    dueAt: now,
    announceAt: now + (preparing?.leaseMs ?? FIRST_ANNOUNCEMENT_MS),
    round: 0,
    previousLost: false,
    cancelRequested: false,
    leaving: false,
  };
  if (initial?.state === "failed") end(entry, now, "failed", { error: initial.error });
  return entry;
}

/** Two literals, not a copy with additions: on the way of every submission the copy cost more than all the rest. */
function toOperation(
  { id, scope, definition, input, key, hidden }: NewOperation,
  state: "pending" | "preparing",
  attempt: number,
  createdAt: number,
): Operation {
  if (key !== undefined && hidden === undefined)
    return { id, scope, definition, input, key, state, attempt, createdAt };
  const operation: Operation = { id, scope, definition, input, state, attempt, createdAt };
  return { ...operation, ...(key === undefined ? {} : { key }), ...(hidden === undefined ? {} : { hidden }) };
}

/** Whether this creation was made by the same caller before, whose answer was lost. */
export function isRepeatedCreation(entry: Entry, initial: InitialState | undefined): boolean {
  return (
    initial?.state === "preparing" && entry.operation.state === "preparing" && entry.token === initial.token
  );
}

export function begin(
  entry: Entry,
  now: number,
  lease: { readonly token: string; readonly leaseMs: number },
): BeginResult {
  if (isTerminal(entry.operation.state)) return { outcome: "terminal" };
  if (entry.token !== lease.token) {
    if (hasLiveLease(entry, now)) return { outcome: "busy" };
    if (entry.token === undefined && now < entry.dueAt)
      return { outcome: "not-due", dueInMs: entry.dueAt - now };
    if (entry.cancelRequested) {
      end(entry, now, "failed", { error: CANCELLED });
      return { outcome: "terminal" };
    }
    // A token that nobody settled is what an attempt leaves behind whose lease was lost.
    if (entry.token !== undefined) entry.previousLost = true;
    entry.token = lease.token;
    change(entry, { attempt: entry.operation.attempt + 1 });
  }
  extend(entry, now, lease.leaseMs);
  return { outcome: "begun", operation: entry.operation, previousLost: entry.previousLost };
}

export function renew(
  entry: Entry,
  now: number,
  token: string,
  { leaseMs, progress }: { readonly leaseMs: number; readonly progress?: JsonText },
): RenewResult {
  if (entry.token !== token || isTerminal(entry.operation.state)) return { outcome: "lost" };
  extend(entry, now, leaseMs);
  if (progress !== undefined) change(entry, { progress });
  return { outcome: "renewed", cancelRequested: entry.cancelRequested };
}

export function settle(entry: Entry, now: number, token: string, settlement: Settlement): SettleResult {
  if (entry.token !== token) return { outcome: "lost" };
  const from = entry.operation.state;
  if (isTerminal(from)) return { outcome: "settled", state: from };
  const state = transition(from, settlement.to, entry.cancelRequested);
  if (state === undefined) return { outcome: "lost" };
  if (settlement.to === "completed") {
    end(entry, now, "completed", settlement.result === undefined ? {} : { result: settlement.result });
  } else if (settlement.to === "failed") end(entry, now, "failed", { error: settlement.error });
  else if (state === "failed") end(entry, now, "failed", { error: CANCELLED });
  else if (settlement.to === "prepared") prepared(entry, now, settlement.resource);
  else retry(entry, now, settlement);
  return { outcome: "settled", state };
}

export function cancel(entry: Entry, now: number): CancelOutcome {
  if (entry.operation.state === "preparing") return "unknown";
  if (isTerminal(entry.operation.state)) return "terminal";
  if (hasLiveLease(entry, now)) {
    entry.cancelRequested = true;
    return "requested";
  }
  end(entry, now, "failed", { error: CANCELLED });
  return "cancelled";
}

/** Notes that the operation is handed out to be announced: the next time comes later and later. */
export function handOut(entry: Entry, now: number): void {
  entry.announceAt = now + Math.min(FIRST_ANNOUNCEMENT_MS * 4 ** entry.round, MAX_ANNOUNCEMENT_MS);
  entry.round += 1;
}

function hasLiveLease(entry: Entry, now: number): boolean {
  return entry.token !== undefined && now < entry.leaseEndsAt;
}

function extend(entry: Entry, now: number, leaseMs: number): void {
  entry.leaseEndsAt = now + leaseMs;
  entry.announceAt = entry.leaseEndsAt;
  entry.round = 0;
}

function prepared(entry: Entry, now: number, resource: JsonText): void {
  change(entry, { state: "pending", attempt: 0, resource });
  entry.token = undefined;
  entry.previousLost = false;
  entry.dueAt = now;
  entry.announceAt = now + FIRST_ANNOUNCEMENT_MS;
  entry.round = 0;
}

function retry(
  entry: Entry,
  now: number,
  { delayMs, countAttempt }: Extract<Settlement, { to: "retry" }>,
): void {
  if (countAttempt) entry.previousLost = false;
  else change(entry, { attempt: entry.operation.attempt - 1 });
  entry.token = undefined;
  entry.dueAt = now + delayMs;
  entry.announceAt = entry.dueAt;
  entry.round = 0;
}

function end(entry: Entry, now: number, state: "completed" | "failed", outcome: Partial<Operation>): void {
  change(entry, { ...outcome, state, settledAt: now });
  entry.announceAt = undefined;
}

function change(entry: Entry, members: Partial<Operation>): void {
  entry.operation = { ...entry.operation, ...members };
}
