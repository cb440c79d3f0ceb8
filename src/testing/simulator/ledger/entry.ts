import { isTerminal, type NewOperation, type OperationState } from "../../../contract/operation.js";
import type { InitialState } from "../../../ports/operation-store.js";
import { type Content, Contents } from "./contents.js";

/** Everything known about one operation, from what the stores were seen doing. */
export interface Entry {
  readonly id: string;
  readonly tenant: string;
  readonly key: string | undefined;
  /** The number of changes until it was known. */
  readonly addedAt: number;
  /** As it was recorded. */
  readonly recorded: NewOperation;
  /** The state that it was recorded in. */
  readonly startedAs: OperationState;
  readonly contents: Contents;
  /** The time that the store gave it, once it was read. */
  createdAt?: number;
  /** The time of its end that the store gave it, once it was read. */
  settledAt?: number;
  /** The numbers of attempts that stores have returned with it. */
  readonly attemptsRead: Set<number>;
  /** When it ended, as soon as that is known. */
  endedAt?: number;
  token: string | undefined;
  leaseEndsAt: number;
  /** How many attempts have begun and count. */
  attempt: number;
  /** The tokens of all attempts that have begun. */
  readonly tokens: Set<string>;
  /** Whether a client was told that it is accepted. */
  promised: boolean;
  cancelRequested: boolean;
  /** The operation that runs this one again, once that is known. */
  successor?: string;
}

/** All operations of one history, and the invariants that did not hold. */
export class Entries {
  readonly violations: string[] = [];
  readonly now: () => number;
  readonly #all = new Map<string, Entry>();
  /** The operations that follow-ups belong to, by the ids of the follow-ups. */
  readonly #parents = new Map<string, Entry>();
  #moment = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  /** The number of changes so far: an answer is compared with everything since the moment of its request. */
  get moment(): number {
    return this.#moment;
  }

  get(id: string): Entry | undefined {
    return this.#all.get(id);
  }

  /** The operation whose end creates this one. */
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
    const entry: Entry = {
      id,
      tenant,
      key,
      addedAt: ++this.#moment,
      recorded,
      startedAs: first.state,
      contents: new Contents(first, () => ++this.#moment),
      token: lease?.token,
      leaseEndsAt: lease === undefined ? 0 : this.now() + lease.leaseMs,
      attempt: lease === undefined ? 0 : 1,
      attemptsRead: new Set(),
      tokens: new Set(lease === undefined ? [] : [lease.token]),
      promised: false,
      cancelRequested: false,
    };
    this.#all.set(id, entry);
    if (onEnd !== undefined) this.#parents.set(onEnd.id, entry);
    this.noteEnd(entry);
    return entry;
  }

  /** From its end on an operation has its follow-up. */
  noteEnd(entry: Entry): void {
    if (!isTerminal(stateOf(entry))) return;
    entry.endedAt ??= this.now();
    const { onEnd } = entry.recorded;
    if (onEnd !== undefined && !this.#all.has(onEnd.id)) this.addFollowUp(entry);
  }

  addFollowUp({ tenant, recorded: { onEnd } }: Entry): void {
    if (onEnd !== undefined) this.add({ ...onEnd, tenant, hidden: true });
  }

  /** Returns whether the retention of an operation has passed, after which its key may stand for another one. */
  isExpired({ endedAt, recorded }: Entry): boolean {
    return endedAt !== undefined && endedAt + recorded.retentionMs <= this.now();
  }

  /** Returns whether an operation may be gone: it has expired, and so has every operation that ran it again. */
  isOver(entry: Entry): boolean {
    const successor = entry.successor === undefined ? undefined : this.#all.get(entry.successor);
    return this.isExpired(entry) && (successor === undefined || this.isOver(successor));
  }

  violated(invariant: string, what: string): void {
    this.violations.push(`${invariant}: ${what}`);
  }
}

export function stateOf({ contents }: Entry): OperationState {
  return contents.current.state;
}

/** Returns whether no client can see it. */
export function isHidden({ recorded }: Entry): boolean {
  return recorded.hidden === true;
}

/** Returns whether the next beginning ends the operation: a cancel was requested and nobody works on it. */
export function endsByBeginning(entry: Entry, now: number): boolean {
  return entry.cancelRequested && !isTerminal(stateOf(entry)) && entry.leaseEndsAt <= now;
}
