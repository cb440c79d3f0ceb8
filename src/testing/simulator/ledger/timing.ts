import { isTerminal, type Settlement, transition } from "../../../contract/operation.js";
import type { CancelOutcome, Lease, RenewResult, SettleResult } from "../../../ports/operation-store.js";
import { type Entries, type Entry, isHidden, isUncertain, stateOf } from "./entry.js";
import type { Places } from "./places.js";

/**
 * Checks that stores answer calls about attempts as the operation is: due or not, leased or free, cancelled or not, and
 * with a lost attempt before it or not (I19). Every method is called before the ledger records the answer.
 */
export class Timing {
  readonly #entries: Entries;
  /** Whether transactions hold operations, so that a call may find one locked, or wait until its lease is over. */
  readonly #locks: boolean;
  readonly #places: Places;

  constructor(entries: Entries, locks: boolean, places: Places) {
    this.#entries = entries;
    this.#locks = locks;
    this.#places = places;
  }

  /** Checks an attempt that a claim began. */
  begun(entry: Entry, token: string, previousLost: boolean): void {
    if (entry.isVague || isUncertain(entry) || entry.token === token) return;
    const { id, dueAt, cancelRequested } = entry;
    const waitMs = entry.token === undefined ? dueAt - this.#entries.now() : 0;
    if (waitMs > 0) this.#violated(`${id} began ${waitMs} ms before it was due`);
    if (cancelRequested) this.#violated(`${id} began although its cancellation was requested`);
    this.#checkLoss(entry, previousLost);
  }

  #checkLoss(entry: Entry, previousLost: boolean): void {
    if (entry.attemptIfReleased !== undefined) return;
    const isLost = entry.previousLost || entry.token !== undefined;
    if (previousLost !== isLost)
      this.#violated(`${entry.id} began with previousLost ${previousLost}, expected ${isLost}`);
  }

  /** Checks the answer to `renew`. */
  renewed(entry: Entry, { token }: Lease, result: RenewResult): void {
    if (entry.isVague || isUncertain(entry) || entry.token !== token) return;
    if (result.outcome === "lost") {
      if (!isTerminal(stateOf(entry)) && !this.#places.mayBeTaken(entry))
        this.#violated(`${entry.id} was not renewed although its token is current`);
    } else if (result.cancelRequested !== entry.cancelRequested)
      this.#violated(`${entry.id} was renewed with cancelRequested ${result.cancelRequested}`);
  }

  /** Checks the answer to `settle`. */
  settled(entry: Entry, { token }: Lease, { to }: Settlement, result: SettleResult): void {
    if (entry.isVague || isUncertain(entry) || entry.token !== token) return;
    const from = stateOf(entry);
    const expected = isTerminal(from) ? from : transition(from, to, entry.cancelRequested);
    const state = result.outcome === "settled" ? result.state : undefined;
    const isGone = state === undefined && (this.#entries.mayBeGone(entry) || this.#places.mayBeTaken(entry));
    if (state !== expected && !isGone)
      this.#violated(
        `settling ${entry.id} as ${to} led to ${state ?? "lost"} instead of ${expected ?? "lost"}`,
      );
  }

  /** Checks the answer to `requestCancel`. */
  cancelled(entry: Entry, tenant: string, outcome: CancelOutcome): void {
    if (entry.isVague || isUncertain(entry)) return;
    const expected = this.#cancelOutcome(entry, tenant);
    const isGone = outcome === "unknown" && this.#entries.mayBeGone(entry);
    if (outcome !== expected && !isGone && !(this.#locks && expected === "requested"))
      this.#violated(`cancelling ${entry.id} was answered with "${outcome}" instead of "${expected}"`);
  }

  #cancelOutcome(entry: Entry, tenant: string): CancelOutcome {
    const state = stateOf(entry);
    if (entry.tenant !== tenant || isHidden(entry) || state === "preparing") return "unknown";
    if (isTerminal(state)) return "terminal";
    return this.#isLeased(entry) ? "requested" : "cancelled";
  }

  #isLeased({ token, leaseEndsAt }: Entry): boolean {
    return token !== undefined && leaseEndsAt > this.#entries.now();
  }

  #violated(what: string): void {
    this.#entries.violated("I19", what);
  }
}
