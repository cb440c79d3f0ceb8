import { isTerminal, type Settlement } from "../../../contract/operation.js";
import type { BegunOperation, ClaimedDefinition } from "../../../ports/claim.js";
import type {
  CancelOutcome,
  Lease,
  Renewal,
  RenewResult,
  SettleResult,
} from "../../../ports/operation-store.js";
import type { AppendResult, OutputAppend } from "../../../ports/output-store.js";
import { Attempts } from "./attempts.js";
import { Claims } from "./claims.js";
import { Conservation } from "./conservation.js";
import { type Change, cancelling, ending, progressing, requesting, settling } from "./contents.js";
import { Counts } from "./counts.js";
import { Deadlines } from "./deadlines.js";
import { Effects } from "./effects.js";
import { Entries, type Entry, stateOf } from "./entry.js";
import { FollowUps } from "./follow-ups.js";
import { HandOuts } from "./hand-outs.js";
import { Keys } from "./keys.js";
import { leased, mayBeReleased, nextAttempt, released } from "./leases.js";
import { Listings } from "./listings.js";
import { Outputs } from "./outputs.js";
import { Pauses } from "./pauses.js";
import { type Acceptance, Payloads, type Request } from "./payloads.js";
import { Places } from "./places.js";
import { Readings } from "./readings.js";
import { Records } from "./records.js";
import { Redrives } from "./redrives.js";
import { Timing } from "./timing.js";
import { Turns } from "./turns.js";
import { Webhooks } from "./webhooks.js";
import { WorkCountsJudge } from "./work-counts.js";

type LedgerOption = "locks" | "keepsPlaces" | "takesTurns" | "hasOutput";

/**
 * Watches every change and every answer, and checks these invariants:
 *
 * - I1: Each key has one operation while the key lives, and no effects of any other.
 * - I2: Every operation promised to a client can be read and ends. For this, attempts must be counted.
 * - I3: A refused request records nothing.
 * - I4: A terminal state never changes.
 * - I5: No retry waits for a crashed submission longer than its lease.
 * - I6: A token that is not current changes nothing.
 * - I7: An operation never has two live leases.
 * - I8: Every read returns exactly what was recorded, reported and settled. See {@link Readings} and {@link Listings}.
 * - I9: No tenant reads, cancels or replays another tenant's operation.
 * - I10: Writes in a transaction exist exactly once if it commits, and not at all otherwise. See {@link Effects}.
 * - I11: Every end creates its follow-up exactly once, and nothing else does. See {@link FollowUps}.
 * - I12: A failed operation has at most one successor, has one if it was redriven, and is kept as long as its
 *   successor. See {@link Redrives}.
 * - I13: No attempt begins before the delay of its operation is over.
 * - I14: A key accepts its first payload and refuses every other one, by request and by call. See {@link Payloads}.
 * - I15: Attempts follow the options of their processor. See {@link Attempts}.
 * - I16: A waiter learns of an end as soon as the process that it waits in reads the operation again: within 5 s.
 * - I17: A webhook has one id, and is delivered unless it was refused or no attempt was left. See {@link Webhooks}.
 * - I19: Stores answer calls about attempts as the operation is: due, leased, cancelled or lost before. See {@link Timing}.
 * - I20: Sweeps get each expired operation once per interval, and not too early. See {@link HandOuts}.
 * - I21: Counts agree with what was recorded, settled and leased. See {@link Counts}.
 * - I22, I23: Limits and lanes hold, and no attempt begins while its definition is paused. See {@link Places}.
 * - I24: Urgent orders begin first, and no tenant is passed over for long. See {@link Turns}.
 * - I25: A full backlog refuses no submission whose key has an operation. See {@link Keys}.
 * - I26: An operation with a deadline begins in time or expires, never both. See {@link Deadlines}.
 * - I27: Without faults, no work waits for long while a worker has a free slot for it. See {@link Conservation}.
 * - I28: Readers and attempts have exactly what stands of an output, byte for byte. See {@link Outputs}.
 * - I29: Processes count what happens by minute, and nothing twice. See {@link WorkCountsJudge}.
 */
export class Ledger {
  readonly entries: Entries;
  readonly records: Records;
  readonly readings: Readings;
  readonly listings: Listings;
  readonly effects: Effects;
  readonly redrives: Redrives;
  readonly claims: Claims;
  readonly attempts: Attempts;
  readonly keys: Keys;
  readonly webhooks: Webhooks;
  readonly timing: Timing;
  readonly places: Places;
  readonly pauses: Pauses;
  readonly deadlines: Deadlines;
  readonly handOuts: HandOuts;
  readonly counts: Counts;
  readonly payloads: Payloads;
  readonly turns: Turns;
  readonly outputs: Outputs;
  readonly conservation: Conservation;
  readonly work: WorkCountsJudge;
  readonly #followUps: FollowUps;

  /**
   * `locks`: see {@link Timing}. `keepsPlaces`: see {@link Places}. `takesTurns`: see {@link Turns}. `hasOutput`: see
   * {@link Outputs}.
   */
  constructor(
    now: () => number,
    { locks, keepsPlaces, takesTurns, hasOutput }: Readonly<Record<LedgerOption, boolean>>,
  ) {
    this.entries = new Entries(now);
    this.places = new Places(this.entries, keepsPlaces);
    this.turns = new Turns(this.entries, this.places, takesTurns);
    this.pauses = new Pauses(this.entries);
    this.conservation = new Conservation(this.entries, this.places, this.pauses);
    this.timing = new Timing(this.entries, locks, this.places);
    this.deadlines = new Deadlines(this.entries, locks);
    this.handOuts = new HandOuts(this.entries);
    this.counts = new Counts(this.entries, this.pauses);
    this.redrives = new Redrives(this.entries);
    this.claims = new Claims(this.entries);
    this.work = new WorkCountsJudge(this.entries);
    this.readings = new Readings(this.entries, this.redrives);
    this.listings = new Listings(this.entries, this.redrives);
    this.#followUps = new FollowUps(this.entries);
    this.effects = new Effects(this.entries);
    this.outputs = new Outputs(this.entries, this.places, hasOutput);
    this.attempts = new Attempts(this.entries, this.outputs);
    this.keys = new Keys(this.entries);
    this.records = new Records(this.entries, this.keys);
    this.webhooks = new Webhooks(this.entries);
    this.payloads = new Payloads(this.entries);
  }

  get violations(): readonly string[] {
    return this.entries.violations;
  }

  /** Records that a claim has ended an operation whose cancellation was requested. */
  endedByClaim(id: string): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) this.#change(entry, ending(cancelling));
  }

  /** Records an attempt that a claim began. */
  begun(
    { token, leaseMs }: Pick<ClaimedDefinition, "leaseMs"> & { readonly token: string },
    begun: BegunOperation,
  ): void {
    const { operation, previousLost } = begun;
    const { id } = operation;
    this.redrives.begun(operation);
    this.#followUps.begun(operation);
    const entry = this.entries.get(id);
    if (entry === undefined) {
      this.readings.returned(operation);
      return;
    }
    this.timing.begun(entry, token, previousLost);
    this.deadlines.begun(entry, operation, previousLost);
    this.places.begun(entry, token, operation);
    this.pauses.begun(entry, token, operation);
    if (isTerminal(stateOf(entry))) this.violated("I4", `an attempt of ${id} began after it had ended`);
    this.readings.returned(operation);
    if (entry.token !== token && !nextAttempt(entry, begun, this.entries.now()))
      this.violated("I7", `${id} has two live leases`);
    if (entry.token !== token) this.outputs.begun(id);
    const { attempt, createdAt } = operation;
    const { delayMs = 0 } = entry.recorded;
    const isDelayed = operation.state === "pending" && createdAt + delayMs > this.entries.now();
    if (isDelayed) this.violated("I13", `${id} began before its delay of ${delayMs} ms was over`);
    if (attempt !== entry.attempt)
      this.violated("I2", `${id} began as attempt ${attempt}, not ${entry.attempt}, so it may never end`);
    entry.token = token;
    entry.tokens.add(token);
    this.#leased(entry, leaseMs);
  }

  #leased(entry: Entry, leaseMs: number): void {
    leased(entry, leaseMs, this.entries.now());
    this.attempts.leased(entry, leaseMs);
  }

  /** Records the result of `renew`. */
  renewed({ operationId, token }: Lease, { leaseMs, progress }: Renewal, result: RenewResult): void {
    const entry = this.entries.get(operationId);
    if (entry === undefined) return;
    this.timing.renewed(entry, { operationId, token }, result);
    if (result.outcome !== "renewed") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was renewed with a stale token`);
    entry.attemptIfReleased = undefined;
    if (leaseMs !== undefined) this.#leased(entry, leaseMs);
    this.#change(entry, progressing(progress));
  }

  /** Records that a renewal failed, so it is unknown whether it happened. */
  mayHaveRenewed({ operationId, token }: Lease, { progress }: Renewal): void {
    const entry = this.entries.get(operationId);
    if (entry?.token !== token) return;
    entry.contents.mayChange(progressing(progress));
    entry.isVague = true;
  }

  /** Records the result of `settle`. */
  settled({ operationId, token }: Lease, settlement: Settlement, result: SettleResult): void {
    const entry = this.entries.get(operationId);
    if (entry === undefined) return;
    this.timing.settled(entry, { operationId, token }, settlement, result);
    if (result.outcome !== "settled") return;
    if (entry.token !== token) this.violated("I6", `${operationId} was settled with a stale token`);
    this.outputs.settled(entry, settlement);
    this.#change(entry, settling(settlement, result.state));
    entry.leaseEndsAt = this.entries.now();
    this.attempts.settled(entry, settlement);
    this.webhooks.settled(entry);
    // The token that ended an operation may settle it again.
    if (isTerminal(result.state)) return;
    released(entry, settlement, this.entries.now());
  }

  /** Records that a transaction settled an attempt. Unlike other settlements, it must never happen twice. */
  settledOnce(lease: Lease, settlement: Settlement, result: SettleResult): void {
    const entry = this.entries.get(lease.operationId);
    if (entry !== undefined && isTerminal(stateOf(entry)))
      this.violated("I10", `${entry.id} had ended before a transaction of its attempt committed`);
    this.settled(lease, settlement, result);
  }

  /** Records that a settlement failed, so it is unknown whether it happened. */
  mayHaveSettled({ operationId, token }: Lease, settlement: Settlement): void {
    const entry = this.entries.get(operationId);
    if (entry?.token !== token) return;
    entry.contents.mayChange(settling(settlement, mayBeReleased(entry, settlement)));
    this.entries.noteEnd(entry);
  }

  /** Records the result of an append to an output. */
  appended(append: OutputAppend, result: AppendResult): void {
    this.outputs.appended(append, result);
    if (result === "stored") this.#saved(append);
  }

  /** Records that an append failed, so it is unknown whether it happened. */
  mayHaveAppended(append: OutputAppend): void {
    this.outputs.mayHaveAppended(append);
    this.#saved(append);
  }

  #saved({ lease, checkpoint }: OutputAppend): void {
    if (checkpoint !== undefined) this.attempts.saved(lease.operationId);
  }

  /** Records the outcome of `requestCancel`. */
  cancelled(id: string, tenant: string, outcome: CancelOutcome): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.timing.cancelled(entry, tenant, outcome);
    if (outcome === "unknown") return;
    if (entry.tenant !== tenant)
      this.violated("I9", `${tenant} asked to cancel ${id} of ${entry.tenant} and got "${outcome}"`);
    if (outcome === "cancelled") this.#change(entry, cancelling);
    if (outcome !== "requested") return;
    entry.cancelRequested = true;
    this.#change(entry, requesting);
    for (const watcher of this.entries.cancelWatchers) watcher(id);
  }

  /** Records that a caller has received a reply that accepts its submission. */
  promised(request: Request, acceptance: Acceptance): void {
    const { tenant } = request;
    const { operationId: id } = acceptance;
    const entry = this.entries.get(id);
    if (entry === undefined) this.violated("I2", `${id} was promised but never created`);
    else if (entry.tenant !== tenant) this.violated("I9", `${tenant} was promised ${id} of ${entry.tenant}`);
    else entry.promised = true;
    this.keys.bind(request, id);
    this.payloads.accepted(request, acceptance);
  }

  violated(invariant: string, what: string): void {
    this.entries.violated(invariant, what);
  }

  #change(entry: Entry, change: Change): void {
    const from = entry.contents.current.state;
    if (!entry.contents.change(change)) this.violated("I4", `${entry.id} was changed after it had ${from}`);
    this.entries.noteEnd(entry);
  }
}
