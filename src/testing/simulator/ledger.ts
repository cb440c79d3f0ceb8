import {
  isTerminal,
  type NewOperation,
  type Operation,
  type OperationState,
  type Settlement,
} from "../../core/operation.js";
import type {
  BeginResult,
  CancelOutcome,
  Lease,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import type { BegunAttempt } from "../../ports/queue.js";

/** What an operation is read by. */
interface Identity {
  readonly id: string;
  readonly scope: string;
}

/** What is known of one operation, from what the stores were seen doing. */
interface Entry extends Identity {
  readonly key: string | undefined;
  state: OperationState;
  endedAt?: number;
  token?: string | undefined;
  leaseEndsAt: number;
  /** How many attempts have begun and count. */
  attempt: number;
  /** Of all attempts that have begun. */
  readonly tokens: Set<string>;
  /** Some client was told that it is accepted. */
  promised: boolean;
  cancelRequested: boolean;
}

/** A request as its client remembers it. */
export interface Request {
  readonly scope: string;
  readonly key: string;
  readonly startedAt: number;
}

/**
 * Follows every change and every answer, and holds them against the invariants:
 *
 * - I1 one operation, and one effect, for each key within the lifetime of the key
 * - I2 every operation that a client was promised can be read and ends, for which its attempts must be counted
 * - I3 nothing is recorded for a refused request
 * - I4 a terminal state never changes
 * - I5 no retry waits on a crashed submission longer than its lease
 * - I6 a token that is not current changes nothing
 * - I7 never two live leases on one operation
 */
export class Ledger {
  readonly violations: string[] = [];
  readonly #entries = new Map<string, Entry>();
  /** Which operation a key stands for, by the first effect that was seen of it. */
  readonly #owners = new Map<string, string>();
  readonly #now: () => number;
  readonly #retentionMs: number;

  constructor(now: () => number, retentionMs: number) {
    this.#now = now;
    this.#retentionMs = retentionMs;
  }

  created(
    operation: NewOperation,
    state: OperationState,
    lease?: { readonly token: string; readonly leaseMs: number },
  ): void {
    const { id, scope, key } = operation;
    const known = this.#entries.get(id);
    if (known !== undefined) {
      // A creation under a lease may be repeated by whoever holds it.
      const repeated = known.token !== undefined && known.token === lease?.token;
      if (!repeated) this.violated("I1", `${id} was created again`);
      return;
    }
    if (key?.startsWith("refused") === true) this.violated("I3", `${id} was created for a refused request`);
    const leaseEndsAt = lease === undefined ? 0 : this.#now() + lease.leaseMs;
    const attempt = lease === undefined ? 0 : 1;
    const tokens = new Set(lease === undefined ? [] : [lease.token]);
    const held = { token: lease?.token, leaseEndsAt, attempt, tokens };
    const entry: Entry = { id, scope, key, state, ...held, promised: false, cancelRequested: false };
    this.#entries.set(id, entry);
    if (isTerminal(state)) entry.endedAt = this.#now();
    this.#owns(scope, key, id);
  }

  /** Key and operation were recorded in one step, which may be repeated by whoever chose the id. */
  recorded(
    operation: NewOperation,
    state: OperationState,
    lease?: { readonly token: string; readonly leaseMs: number },
  ): void {
    if (!this.#entries.has(operation.id)) this.created(operation, state, lease);
  }

  /** A receipt began an attempt, whoever gets to know of it: each time another one. */
  received({ lease: { operationId, token }, begun }: BegunAttempt, leaseMs: number): void {
    if (this.#entries.get(operationId)?.tokens.has(token) === true) {
      this.violated("I7", `one attempt on ${operationId} was received twice`);
    }
    this.begun(operationId, { token, leaseMs }, begun);
  }

  begun(
    id: string,
    { token, leaseMs }: { readonly token: string; readonly leaseMs: number },
    result: BeginResult,
  ): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    // Where cancel was asked for and the lease is dead, beginning is what ends the operation.
    if (result.outcome === "terminal" && !isTerminal(entry.state)) this.#sees(entry, "failed");
    if (result.outcome !== "begun") return;
    if (isTerminal(entry.state)) this.violated("I4", `${id} began after its end`);
    if (entry.token !== token && entry.leaseEndsAt > this.#now())
      this.violated("I7", `${id} has two live leases`);
    if (entry.token !== token) entry.attempt += 1;
    const { attempt } = result.operation;
    if (attempt !== entry.attempt) {
      this.violated("I2", `${id} began as attempt ${attempt} and not as ${entry.attempt}: it may never end`);
    }
    entry.token = token;
    entry.tokens.add(token);
    entry.leaseEndsAt = this.#now() + leaseMs;
  }

  renewed({ operationId, token }: Lease, leaseMs: number, result: RenewResult): void {
    const entry = this.#entries.get(operationId);
    if (entry === undefined || result.outcome !== "renewed") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was renewed by a stale token`);
    entry.leaseEndsAt = this.#now() + leaseMs;
  }

  settled({ operationId, token }: Lease, settlement: Settlement, result: SettleResult): void {
    const entry = this.#entries.get(operationId);
    if (entry === undefined || result.outcome !== "settled") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was settled by a stale token`);
    this.#sees(entry, result.state);
    entry.leaseEndsAt = this.#now();
    // The token that ended an operation may repeat itself.
    if (isTerminal(result.state)) return;
    entry.token = undefined;
    if (settlement.to === "prepared") entry.attempt = 0;
    else if (settlement.to === "retry" && !settlement.countAttempt) entry.attempt -= 1;
  }

  cancelled(id: string, outcome: CancelOutcome): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (outcome === "cancelled") this.#sees(entry, "failed");
    if (outcome === "requested") entry.cancelRequested = true;
  }

  /** Operations that beginning ends: cancel was asked for, and the lease is dead. A receipt may do it without a word. */
  endedByBeginning(): readonly Identity[] {
    return [...this.#entries.values()].filter(
      (entry) => entry.cancelRequested && !isTerminal(entry.state) && entry.leaseEndsAt <= this.#now(),
    );
  }

  seen(operation: Operation | undefined): void {
    const entry = operation && this.#entries.get(operation.id);
    if (entry !== undefined && operation !== undefined) this.#sees(entry, operation.state);
  }

  /** The work of an operation, or the creation of its resource, had its effect. */
  effect(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) this.violated("I1", `${id} had an effect and was never created`);
    else this.#owns(entry.scope, entry.key, id);
  }

  /** A client was told 202 or 201. */
  promised({ scope, key }: Request, id: string): void {
    this.#owns(scope, key, id);
    const entry = this.#entries.get(id);
    if (entry === undefined) this.violated("I2", `${id} was promised and never created`);
    else entry.promised = true;
  }

  /** A client was told 409: somebody is at it, it was said. */
  toldToWait({ scope, key, startedAt }: Request): void {
    const id = this.#owners.get(nameOf(scope, key));
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (entry !== undefined && Math.max(entry.leaseEndsAt, entry.endedAt ?? 0) < startedAt) {
      this.violated("I5", `a retry waits for ${entry.id}, on which nobody works`);
    }
  }

  /** Operations that are not known to have ended. */
  unfinished(): readonly (Identity & { readonly promised: boolean })[] {
    return [...this.#entries.values()].filter(({ state }) => !isTerminal(state));
  }

  violated(invariant: string, what: string): void {
    this.violations.push(`${invariant}: ${what}`);
  }

  #sees(entry: Entry, state: OperationState): void {
    if (isTerminal(entry.state)) {
      if (state !== entry.state) this.violated("I4", `${entry.id} went from ${entry.state} to ${state}`);
      return;
    }
    entry.state = state;
    if (isTerminal(state)) entry.endedAt = this.#now();
  }

  #owns(scope: string, key: string | undefined, id: string): void {
    // What is said or done of an operation whose time is over is late, and takes nothing from its successor.
    if (key === undefined || this.#isOver(id)) return;
    const name = nameOf(scope, key);
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner !== id && !this.#isOver(owner)) {
      this.violated("I1", `key ${name} stands for ${owner} and for ${id}`);
    }
    this.#owners.set(name, id);
  }

  /** Whether the lifetime of the operation and of its key has passed. */
  #isOver(id: string): boolean {
    const { endedAt } = this.#entries.get(id) ?? {};
    return endedAt !== undefined && endedAt + this.#retentionMs <= this.#now();
  }
}

function nameOf(scope: string, key: string): string {
  return `${scope}/${key}`;
}
