import type { Operation } from "../../../contract/operation.js";
import { ORDER_LIMITS } from "../actors/options.js";
import { type Entries, type Entry, isUncertain, mayBeOverdue, stateOf } from "./entry.js";

/** Checks that attempts begin only with a place: within the limits of orders, and in the order of their lane (I22). */
export class Places {
  readonly #entries: Entries;
  /** Whether the store promises to keep limits and lanes. */
  readonly #kept: boolean;

  constructor(entries: Entries, kept: boolean) {
    this.#entries = entries;
    this.#kept = kept;
  }

  /** Returns whether an operation may have to wait for a place. */
  needsPlace({ recorded }: Entry): boolean {
    return this.#kept && (recorded.lane !== undefined || recorded.definition === "orders");
  }

  /** Returns whether the lease of an attempt may have been taken away, because it has expired and another needs its place. */
  mayBeTaken(entry: Entry): boolean {
    return this.needsPlace(entry) && entry.leaseEndsAt <= this.#entries.now();
  }

  /** Returns whether the limits let one more operation run beside those that may run now. */
  isFree({ tenant, recorded: { definition } }: Entry): boolean {
    if (definition !== "orders") return true;
    const running = this.#entries.where(
      (other) =>
        other.recorded.definition === definition &&
        other.token !== undefined &&
        (isUncertain(other) || stateOf(other) === "pending"),
    );
    const own = running.filter((other) => other.tenant === tenant);
    return running.length < ORDER_LIMITS.running && own.length < ORDER_LIMITS.runningPerTenant;
  }

  /** Called before the ledger records a new attempt of an operation. */
  begun(entry: Entry, token: string, { state, createdAt }: Operation): void {
    if (!this.needsPlace(entry) || state !== "pending" || entry.token === token) return;
    const { id, tenant, recorded } = entry;
    const { definition, lane } = recorded;
    const others = this.#entries.where((other) => other !== entry && this.#isPending(other, definition));
    const running = others.filter((other) => this.#isRunning(other));
    if (definition === "orders") {
      this.#checkLimit(id, running.length + 1, ORDER_LIMITS.running, "all tenants");
      const own = running.filter((other) => other.tenant === tenant);
      this.#checkLimit(id, own.length + 1, ORDER_LIMITS.runningPerTenant, tenant);
    }
    if (lane === undefined) return;
    const inLane = (other: Entry): boolean => other.tenant === tenant && other.recorded.lane === lane;
    for (const other of running.filter(inLane))
      this.#violated(`${id} began while ${other.id} of its lane was running`);
    const isBefore = (other: Entry): boolean =>
      other.createdAt !== undefined &&
      (other.createdAt < createdAt || (other.createdAt === createdAt && other.id < id));
    for (const other of others.filter((each) => inLane(each) && isBefore(each)))
      this.#violated(`${id} began before ${other.id} of its lane had ended`);
  }

  #isPending(entry: Entry, definition: string): boolean {
    // A call can end an operation that is overdue, and does not report that.
    const isKnown = !entry.isVague && !isUncertain(entry) && !mayBeOverdue(entry, this.#entries.now());
    return entry.recorded.definition === definition && isKnown && stateOf(entry) === "pending";
  }

  #isRunning({ token, leaseEndsAt }: Entry): boolean {
    return token !== undefined && leaseEndsAt > this.#entries.now();
  }

  #checkLimit(id: string, count: number, limit: number, of: string): void {
    if (count > limit) this.#violated(`${id} began as number ${count} of ${of}, the limit is ${limit}`);
  }

  #violated(what: string): void {
    this.#entries.violated("I22", what);
  }
}
