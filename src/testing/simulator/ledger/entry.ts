import { isTerminal, keptMs, type NewOperation, type OperationState } from "../../../contract/operation.js";
import type { InitialState } from "../../../ports/operation-store.js";
import { type Change, type Content, Contents, cancelling, expiring } from "./contents.js";

/** Everything known about one operation, from watching the stores. */
export interface Entry {
  readonly id: string;
  readonly tenant: string;
  readonly key: string | undefined;
  /** Moment when the operation became known. */
  readonly addedAt: number;
  /** The operation as it was recorded. */
  readonly recorded: NewOperation;
  /** State in which the operation was recorded. */
  readonly startedAs: OperationState;
  readonly contents: Contents;
  /** Time of creation that the store returned. Absent until the first read. */
  createdAt?: number;
  /** Time of the end that the store returned. Absent until the first read after the end. */
  settledAt?: number;
  /** Attempt numbers that stores have returned. */
  readonly attemptsRead: Set<number>;
  /** Time at which it ended, or may have ended. Absent if it is known to be unfinished. */
  endedAt: number | undefined;
  token: string | undefined;
  leaseEndsAt: number;
  /** Number of attempts that have begun and count. */
  attempt: number;
  /**
   * Number of attempts if the current one has ended by a settlement whose answer was lost. Absent if none of its
   * settlements may have ended it and left the operation unfinished.
   */
  attemptIfReleased?: number | undefined;
  /** Tokens of all attempts that have begun. */
  readonly tokens: Set<string>;
  /** Whether nothing shows yet that it exists, because the commit that would have recorded it failed. */
  mayBeAbsent: boolean;
  /** Whether a client has received a reply that accepts the operation. */
  promised: boolean;
  cancelRequested: boolean;
  /** Whether an attempt was lost since the last one that was counted and settled. */
  previousLost: boolean;
  /** Time from which an attempt can begin without a lost one before it. */
  dueAt: number;
  /** Time from which it is overdue, unless it has begun. Absent if it has no deadline, or if that time is unknown. */
  startBy: number | undefined;
  /** Whether an attempt of its work has started or was lost. */
  hasStarted: boolean;
  /** Whether calls about its attempts failed, so that its lease and the time when it is due are unknown. */
  isVague: boolean;
  /** Id of the operation that runs this one again. Absent until it is known. */
  successor?: string;
}

/** All operations of one history, and the violated invariants. */
export class Entries {
  readonly violations: string[] = [];
  readonly now: () => number;
  /** Called with the id of an operation that changes or may have changed. */
  readonly watchers: Set<(id: string) => void> = new Set();
  /** Called with the id of a running operation whose cancellation is requested. */
  readonly cancelWatchers: Set<(id: string) => void> = new Set();
  readonly #all = new Map<string, Entry>();
  /** Operations that have a follow-up, by the id of the follow-up. */
  readonly #parents = new Map<string, Entry>();
  #moment = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Number of changes so far. An answer is compared with all changes since the moment of its request. */
  get moment(): number {
    return this.#moment;
  }

  get(id: string): Entry | undefined {
    return this.#all.get(id);
  }

  /** Returns the operation whose end creates this one. */
  parentOf(id: string): Entry | undefined {
    return this.#parents.get(id);
  }

  where(condition: (entry: Entry) => boolean): readonly Entry[] {
    return [...this.#all.values()].filter(condition);
  }

  add(recorded: NewOperation, initial?: InitialState): Entry {
    const { id, tenant, key, onEnd } = recorded;
    const lease = initial?.state === "preparing" ? initial : undefined;
    const error = initial?.state === "failed" ? initial.error : undefined;
    const first: Content = { state: initial?.state ?? "pending", error };
    const now = this.now();
    const dueAt = now + (recorded.delayMs ?? 0);
    const leaseEndsAt = lease === undefined ? 0 : now + lease.leaseMs;
    const entry: Entry = {
      id,
      tenant,
      key,
      addedAt: ++this.#moment,
      recorded,
      startedAs: first.state,
      contents: new Contents(first, () => this.#changed(id)),
      token: lease?.token,
      leaseEndsAt,
      previousLost: false,
      dueAt,
      startBy: initial === undefined ? deadlineOf(recorded, dueAt) : undefined,
      hasStarted: false,
      isVague: false,
      attempt: lease === undefined ? 0 : 1,
      endedAt: undefined,
      attemptsRead: new Set(),
      tokens: new Set(lease === undefined ? [] : [lease.token]),
      mayBeAbsent: false,
      promised: false,
      cancelRequested: false,
    };
    this.#all.set(id, entry);
    if (onEnd !== undefined) this.#parents.set(onEnd.id, entry);
    this.noteEnd(entry);
    return entry;
  }

  #changed(id: string): number {
    for (const watcher of this.watchers) watcher(id);
    return ++this.#moment;
  }

  /** If the operation has ended or may have ended, records the time. If it has ended, adds its follow-up. */
  noteEnd(entry: Entry): void {
    const mayHaveEnded = entry.contents.mayBe(({ state }) => isTerminal(state));
    entry.endedAt = mayHaveEnded ? (entry.endedAt ?? this.now()) : undefined;
    if (!isTerminal(stateOf(entry))) return;
    const { onEnd } = entry.recorded;
    if (onEnd !== undefined && !this.#all.has(onEnd.id)) this.addFollowUp(entry);
  }

  addFollowUp({ tenant, endedAt, recorded: { onEnd } }: Entry): void {
    if (onEnd === undefined) return;
    // If the end was learned from a later read, its follow-up has been due for an unknown time.
    this.add({ ...onEnd, tenant, hidden: true }).isVague = endedAt !== this.now();
  }

  /** Returns whether the retention of an operation may be over. Then its key may belong to another operation. */
  isExpired({ endedAt, recorded, contents }: Entry): boolean {
    if (endedAt === undefined) return false;
    return contents.mayBe(
      ({ state }) => isTerminal(state) && endedAt + keptMs({ ...recorded, state }) <= this.now(),
    );
  }

  /** Returns whether a store may lack an operation: it was never recorded, or it and all successors have expired. */
  mayBeGone(entry: Entry): boolean {
    if (entry.mayBeAbsent) return true;
    const successor = entry.successor === undefined ? undefined : this.#all.get(entry.successor);
    return this.isExpired(entry) && (successor === undefined || this.mayBeGone(successor));
  }

  violated(invariant: string, what: string): void {
    this.violations.push(`${invariant}: ${what}`);
  }
}

export function stateOf({ contents }: Entry): OperationState {
  return contents.current.state;
}

/** Returns whether the next read of an operation can show what has happened to it. */
export function isUncertain({ contents, mayBeAbsent }: Entry): boolean {
  return contents.isUncertain || mayBeAbsent;
}

/** Returns whether clients must not see an operation. */
export function isHidden({ recorded }: Entry): boolean {
  return recorded.hidden === true;
}

/** Returns the time from which an operation is overdue that is due for the first time now. */
export function deadlineOf({ startWithinMs }: NewOperation, dueAt: number): number | undefined {
  return startWithinMs === undefined ? undefined : dueAt + startWithinMs;
}

/**
 * Returns how a call can end the operation without a report: its cancellation is requested and no lease is live, or it may be
 * overdue.
 */
export function silentEnd(entry: Entry, now: number): Change | undefined {
  if (isTerminal(stateOf(entry))) return undefined;
  if (entry.cancelRequested && entry.leaseEndsAt <= now) return cancelling;
  return mayBeOverdue(entry, now) ? expiring : undefined;
}

/** Returns whether an operation can no longer expire, or not now: it has started, or an attempt holds it. */
export function hasBegun({ hasStarted, token, isVague }: Entry): boolean {
  return hasStarted || (token !== undefined && !isVague);
}

/** Returns whether an operation may be overdue: its deadline is over or unknown, and it has not begun. */
export function mayBeOverdue(entry: Entry, now: number): boolean {
  const { recorded, isVague, startBy = Number.POSITIVE_INFINITY, contents } = entry;
  if (recorded.startWithinMs === undefined || hasBegun(entry)) return false;
  return (isVague || startBy <= now) && contents.mayBe(({ state }) => state === "pending");
}

/** Returns whether an operation is overdue for certain. */
export function isOverdue(entry: Entry, now: number): boolean {
  return !entry.isVague && !isUncertain(entry) && mayBeOverdue(entry, now);
}

/** Returns whether an operation waits to begin, for certain. One whose last attempt was lost may wait for other reasons. */
export function waits(entry: Entry): boolean {
  return (
    stateOf(entry) === "pending" &&
    entry.token === undefined &&
    entry.attemptIfReleased === undefined &&
    !entry.isVague &&
    !isUncertain(entry) &&
    !entry.cancelRequested &&
    !entry.previousLost
  );
}
