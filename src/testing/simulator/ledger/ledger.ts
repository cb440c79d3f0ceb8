import {
  isTerminal,
  type JsonText,
  type NewOperation,
  type Settlement,
} from "../../../contract/operation.js";
import type {
  BeginResult,
  CancelOutcome,
  InitialState,
  Lease,
  RenewResult,
  SettleResult,
} from "../../../ports/operation-store.js";
import type { BegunAttempt, Delivery } from "../../../ports/queue.js";
import { Attempts } from "./attempts.js";
import { type Change, cancelling, progressing, settling } from "./contents.js";
import { Effects } from "./effects.js";
import { Entries, type Entry, stateOf } from "./entry.js";
import { FollowUps } from "./follow-ups.js";
import { Listings } from "./listings.js";
import { type Acceptance, Payloads, type Request } from "./payloads.js";
import { Readings } from "./readings.js";
import { Redrives } from "./redrives.js";

/** Who has to wait while a transaction is open: submissions with this key. */
export type Holding = Pick<Request, "tenant" | "definition"> & { readonly key?: string | undefined };

type Renewal = { readonly leaseMs: number; readonly progress?: string };

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
 * - I8 what is read of an operation is what was recorded, reported and settled: see {@link Readings} and {@link Listings}
 * - I9 no tenant reads, cancels or replays an operation of another tenant
 * - I10 what is written in a transaction is there if it commits, once, and else not: see {@link Effects}
 * - I11 every end creates its follow-up, once, and nothing else does: see {@link FollowUps}
 * - I12 a failed operation has one successor at most, one if it was redriven, and is kept as long as that: see {@link Redrives}
 * - I13 no attempt begins before the delay of its operation is over
 * - I14 a key stands for its first payload, by request and by call, and no other is refused or accepted: see {@link Payloads}
 * - I15 attempts run as the options of their processor say: see {@link Attempts}
 */
export class Ledger {
  readonly entries: Entries;
  readonly readings: Readings;
  readonly listings: Listings;
  readonly effects: Effects;
  readonly redrives: Redrives;
  readonly attempts: Attempts;
  readonly #payloads: Payloads;
  readonly #followUps: FollowUps;
  /** Which operation a key stands for, by the first effect that was seen of it. */
  readonly #owners = new Map<string, string>();
  /** Until when an open transaction kept a key to itself. */
  readonly #heldUntil = new Map<string, number>();

  constructor(now: () => number) {
    this.entries = new Entries(now);
    this.redrives = new Redrives(this.entries);
    this.readings = new Readings(this.entries, this.redrives);
    this.listings = new Listings(this.entries, this.redrives);
    this.#followUps = new FollowUps(this.entries);
    this.effects = new Effects(this.entries);
    this.attempts = new Attempts(this.entries);
    this.#payloads = new Payloads(this.entries);
  }

  get violations(): readonly string[] {
    return this.entries.violations;
  }

  created(operation: NewOperation, initial?: InitialState): void {
    const { id, key } = operation;
    const known = this.entries.get(id);
    if (known !== undefined) {
      // A creation under a lease may be repeated by whoever holds it.
      const repeated = initial?.state === "preparing" && known.token === initial.token;
      if (!repeated) this.violated("I1", `${id} was created again`);
      return;
    }
    if (key?.startsWith("refused") === true) this.violated("I3", `${id} was created for a refused request`);
    this.entries.add(operation, initial);
    this.#owns(operation, id);
  }

  /** Key and operation were recorded in one step, which may be repeated by whoever chose the id. */
  recorded(operation: NewOperation, initial?: InitialState): void {
    if (this.entries.get(operation.id) === undefined) this.created(operation, initial);
  }

  /** An operation was recorded in a transaction, and its resource created there if it has one. */
  recordedWith(operation: NewOperation, resource?: JsonText): void {
    this.recorded(operation);
    if (resource === undefined) return;
    this.entries.get(operation.id)?.contents.change((content) => ({ ...content, resource }));
  }

  /** A receipt began an attempt, or returned it once more because its answer was lost. */
  received(receipt: string, { lease: { operationId, token }, begun }: BegunAttempt, leaseMs: number): void {
    const entry = this.entries.get(operationId);
    const repeated = entry?.tokens.has(token) === true && entry.token !== token;
    if (repeated || token !== receipt)
      this.violated("I7", `one attempt on ${operationId} was received twice`);
    this.begun(operationId, { token, leaseMs }, begun);
  }

  /** A worker heard the answer to a receipt: it must have every attempt that the receipt began, or an answer that was lost has cost one. */
  answered(receipt: string, deliveries: readonly Delivery[]): void {
    const delivered = new Set(deliveries.map(({ announcement }) => announcement.operationId));
    const now = this.entries.now();
    const held = this.entries.where(({ token, leaseEndsAt }) => token === receipt && leaseEndsAt > now);
    for (const { id } of held) {
      if (!delivered.has(id))
        this.violated("I2", `an attempt on ${id} has begun, and its worker never hears of it`);
    }
  }

  begun(id: string, { token, leaseMs }: Renewal & { readonly token: string }, result: BeginResult): void {
    if (result.outcome === "begun") {
      this.redrives.met(result.operation);
      this.#followUps.met(result.operation);
    }
    const entry = this.entries.get(id);
    if (entry === undefined && result.outcome === "begun") this.readings.seen(result.operation);
    if (entry === undefined) return;
    // If a cancel was requested and the lease is dead, beginning is what ends the operation.
    const ended = result.outcome === "terminal" && !isTerminal(stateOf(entry));
    if (ended && !entry.contents.isUncertain) this.#change(entry, cancelling);
    if (result.outcome !== "begun") return;
    if (isTerminal(stateOf(entry))) this.violated("I4", `${id} began after its end`);
    this.readings.seen(result.operation);
    if (entry.token !== token) {
      if (entry.leaseEndsAt > this.entries.now()) this.violated("I7", `${id} has two live leases`);
      entry.attempt += 1;
    }
    const { attempt, createdAt } = result.operation;
    const { delayMs = 0 } = entry.recorded;
    const isDelayed = result.operation.state === "pending" && createdAt + delayMs > this.entries.now();
    if (isDelayed) this.violated("I13", `${id} began before its delay of ${delayMs} ms was over`);
    if (attempt !== entry.attempt) {
      this.violated("I2", `${id} began as attempt ${attempt} and not as ${entry.attempt}: it may never end`);
    }
    entry.token = token;
    entry.tokens.add(token);
    entry.leaseEndsAt = this.entries.now() + leaseMs;
    this.attempts.leased(entry, leaseMs);
  }

  renewed({ operationId, token }: Lease, { leaseMs, progress }: Renewal, result: RenewResult): void {
    const entry = this.entries.get(operationId);
    if (entry === undefined || result.outcome !== "renewed") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was renewed by a stale token`);
    entry.leaseEndsAt = this.entries.now() + leaseMs;
    this.attempts.leased(entry, leaseMs);
    this.#change(entry, progressing(progress));
  }

  /** A renewal failed, so that nobody knows whether it arrived. */
  mayHaveRenewed({ operationId, token }: Lease, { progress }: Renewal): void {
    const entry = this.entries.get(operationId);
    if (entry?.token === token) entry.contents.mayChange(progressing(progress));
  }

  settled({ operationId, token }: Lease, settlement: Settlement, result: SettleResult): void {
    const entry = this.entries.get(operationId);
    if (entry === undefined || result.outcome !== "settled") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was settled by a stale token`);
    this.#change(entry, settling(settlement, result.state));
    entry.leaseEndsAt = this.entries.now();
    this.attempts.settled(entry, settlement);
    // The token that ended an operation may repeat itself.
    if (isTerminal(result.state)) return;
    entry.token = undefined;
    if (settlement.to === "prepared") entry.attempt = 0;
    else if (settlement.to === "retry" && !settlement.countAttempt) entry.attempt -= 1;
  }

  /** A transaction that settles an attempt has committed: unlike a settlement by itself it must not be repeated. */
  settledOnce(lease: Lease, settlement: Settlement, result: SettleResult): void {
    const entry = this.entries.get(lease.operationId);
    if (entry !== undefined && isTerminal(stateOf(entry)))
      this.violated("I10", `${entry.id} had ended before a transaction of its attempt committed`);
    this.settled(lease, settlement, result);
  }

  /** A settlement failed, so that nobody knows whether it arrived. */
  mayHaveSettled({ operationId, token }: Lease, settlement: Settlement): void {
    const entry = this.entries.get(operationId);
    if (entry?.token !== token) return;
    const { to } = settlement;
    const after = {
      completed: "completed",
      failed: "failed",
      prepared: "pending",
      retry: stateOf(entry),
    } as const;
    entry.contents.mayChange(
      settling(settlement, to === "retry" && entry.cancelRequested ? "failed" : after[to]),
    );
  }

  cancelled(id: string, tenant: string, outcome: CancelOutcome): void {
    const entry = this.entries.get(id);
    if (entry === undefined || outcome === "unknown") return;
    if (entry.tenant !== tenant)
      this.violated("I9", `${tenant} asked to cancel ${id} of ${entry.tenant}: ${outcome}`);
    if (outcome === "cancelled") this.#change(entry, cancelling);
    if (outcome === "requested") entry.cancelRequested = true;
  }

  /** The work of an operation, or the creation of its resource, had its effect. */
  effect(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) this.violated("I1", `${id} had an effect and was never created`);
    else this.#owns(entry.recorded, id);
  }

  /** A submission was accepted. */
  promised(request: Request, acceptance: Acceptance): void {
    const { tenant } = request;
    const { operationId: id } = acceptance;
    const entry = this.entries.get(id);
    if (entry === undefined) this.violated("I2", `${id} was promised and never created`);
    else if (entry.tenant !== tenant) this.violated("I9", `${tenant} was promised ${id} of ${entry.tenant}`);
    else entry.promised = true;
    this.#owns(request, id);
    this.#payloads.accepted(request, acceptance);
  }

  /** A submission was told that its key belongs to another payload. */
  reused(request: Request): void {
    this.#payloads.reused(request);
  }

  /** An open transaction records an operation, or has locked it: others with its key have to wait. */
  holds(holding: Holding): void {
    this.#heldUntil.set(nameOf(holding), Number.POSITIVE_INFINITY);
  }

  releases(holding: Holding): void {
    this.#heldUntil.set(nameOf(holding), this.entries.now());
  }

  /** A submission was told to wait: somebody is at it, it was said. */
  toldToWait(request: Request): void {
    const { startedAt } = request;
    if ((this.#heldUntil.get(nameOf(request)) ?? 0) >= startedAt) return;
    const id = this.#owners.get(nameOf(request));
    const entry = id === undefined ? undefined : this.entries.get(id);
    if (entry !== undefined && Math.max(entry.leaseEndsAt, entry.endedAt ?? 0) < startedAt) {
      this.violated("I5", `a retry waits for ${entry.id}, on which nobody works`);
    }
  }

  violated(invariant: string, what: string): void {
    this.entries.violated(invariant, what);
  }

  #change(entry: Entry, change: Change): void {
    const from = entry.contents.current.state;
    if (!entry.contents.change(change)) this.violated("I4", `${entry.id} was changed after it had ${from}`);
    this.entries.noteEnd(entry);
  }

  #owns(holding: Holding, id: string): void {
    // What is said or done of an operation whose time is over is late, and takes nothing from its successor.
    if (holding.key === undefined || this.#isExpired(id)) return;
    const name = nameOf(holding);
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner !== id && !this.#isExpired(owner)) {
      this.violated("I1", `key ${name} stands for ${owner} and for ${id}`);
    }
    this.#owners.set(name, id);
  }

  #isExpired(id: string): boolean {
    const entry = this.entries.get(id);
    return entry !== undefined && this.entries.isExpired(entry);
  }
}

function nameOf({ tenant, definition, key = "" }: Holding): string {
  return `${tenant}/${definition}/${key}`;
}
