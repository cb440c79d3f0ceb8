import type { Operation } from "../../contract/operation.js";
import { hasLiveLease, isRunning, release } from "../../engine/entry.js";
import type { RunningLimits } from "../../ports/claim.js";
import { Lane } from "./collections/lane.js";
import type { MemoryEntry } from "./entry.js";

/** Knows which operations run, and decides whether others may: by the limits of their definition and by their lanes. */
export class Places {
  /** Running operations by tenant, of the definitions that have limits. */
  readonly #running = new Map<string, Map<string, Set<MemoryEntry>>>();
  readonly #lanes = new Map<string, Lane<MemoryEntry>>();
  readonly #unfinished: (definition: string) => Iterable<MemoryEntry>;
  readonly #onReleased: (entry: MemoryEntry) => void;
  readonly #onTurn: (entry: MemoryEntry) => void;

  /**
   * @param unfinished Returns all unfinished operations of a definition. Called once, when its first limit is known.
   * @param onReleased Called with each operation whose expired lease is taken away.
   * @param onTurn Called with each operation whose turn in its lane has come.
   */
  constructor(
    unfinished: (definition: string) => Iterable<MemoryEntry>,
    onReleased: (entry: MemoryEntry) => void,
    onTurn: (entry: MemoryEntry) => void,
  ) {
    this.#unfinished = unfinished;
    this.#onReleased = onReleased;
    this.#onTurn = onTurn;
  }

  /** Follows an operation that is new or has changed. */
  changed(entry: MemoryEntry): void {
    const { definition, lane, state } = entry.operation;
    const ofTenants = this.#running.get(definition);
    if (ofTenants !== undefined) count(ofTenants, entry);
    if (lane !== undefined && state !== "preparing") this.#changedIn(this.#laneOf(entry.operation), entry);
  }

  /** Returns whether the limits have a free place for an operation that does not run. */
  isFree(entry: MemoryEntry, limits: RunningLimits | undefined, now: number): boolean {
    const { definition, tenant } = entry.operation;
    if (limits === undefined) return true;
    // An operation that has lost its lease does not compete with itself.
    const own = isRunning(entry) ? 1 : 0;
    const { free, freeFor } = this.free(definition, limits, now);
    return free + own > 0 && freeFor(tenant) + own > 0;
  }

  /** Returns how many places of a definition are free, in total and for each tenant. */
  free(
    definition: string,
    { running = Number.POSITIVE_INFINITY, runningPerTenant = Number.POSITIVE_INFINITY }: RunningLimits,
    now: number,
  ): { readonly free: number; readonly freeFor: (tenant: string) => number } {
    const ofTenants = this.#runningOf(definition);
    if (sizeOf(ofTenants.values()) >= running) this.#releaseExpired(ofTenants.values(), now);
    return {
      free: running - sizeOf(ofTenants.values()),
      freeFor: (tenant) => {
        const entries = ofTenants.get(tenant) ?? NO_ENTRIES;
        if (entries.size >= runningPerTenant) this.#releaseExpired([entries], now);
        return runningPerTenant - entries.size;
      },
    };
  }

  /** Returns whether an operation has its turn in its lane. */
  hasTurn(entry: MemoryEntry, now: number): boolean {
    const lane = this.#laneOf(entry.operation);
    const { holder } = lane;
    if (holder !== undefined && holder !== entry) {
      if (hasLiveLease(holder, now)) return false;
      this.release(holder);
    }
    return lane.first === entry;
  }

  #releaseExpired(ofTenants: Iterable<ReadonlySet<MemoryEntry>>, now: number): void {
    for (const entries of ofTenants)
      for (const entry of entries) if (!hasLiveLease(entry, now)) this.release(entry);
  }

  /** Takes the expired lease of an operation away. */
  release(entry: MemoryEntry): void {
    release(entry);
    this.#onReleased(entry);
    this.changed(entry);
  }

  #runningOf(definition: string): Map<string, Set<MemoryEntry>> {
    const known = this.#running.get(definition);
    if (known !== undefined) return known;
    const ofTenants = new Map<string, Set<MemoryEntry>>();
    this.#running.set(definition, ofTenants);
    for (const entry of this.#unfinished(definition)) count(ofTenants, entry);
    return ofTenants;
  }

  #laneOf(operation: Operation): Lane<MemoryEntry> {
    const name = nameOf(operation);
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const created = new Lane<MemoryEntry>();
    this.#lanes.set(name, created);
    return created;
  }

  #changedIn(lane: Lane<MemoryEntry>, entry: MemoryEntry): void {
    const wasHolder = lane.holder === entry;
    if (isRunning(entry)) lane.holder = entry;
    else if (wasHolder) lane.holder = undefined;
    if (entry.operation.settledAt === undefined) lane.join(entry);
    else lane.leave(entry);
    if (lane.size === 0) this.#lanes.delete(nameOf(entry.operation));
    const { first } = lane;
    if (lane.holder === undefined && first !== undefined && first !== entry) this.#onTurn(first);
  }
}

const NO_ENTRIES: ReadonlySet<MemoryEntry> = new Set();

/** Returns the parts as one text. The lengths keep `a:b` + `c` and `a` + `b:c` apart. */
function nameOf({ definition, tenant, lane = "" }: Operation): string {
  return `${definition.length}:${definition}${tenant.length}:${tenant}${lane}`;
}

function sizeOf(sets: Iterable<ReadonlySet<MemoryEntry>>): number {
  let size = 0;
  for (const set of sets) size += set.size;
  return size;
}

/** Updates the set of running operations after a change of one. */
function count(ofTenants: Map<string, Set<MemoryEntry>>, entry: MemoryEntry): void {
  const { tenant } = entry.operation;
  const entries = ofTenants.get(tenant) ?? new Set<MemoryEntry>();
  if (isRunning(entry)) entries.add(entry);
  else entries.delete(entry);
  if (entries.size > 0) ofTenants.set(tenant, entries);
  else ofTenants.delete(tenant);
}
