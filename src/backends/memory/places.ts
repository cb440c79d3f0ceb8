import { isRunning, release } from "../../engine/entry.js";
import type { PlaceTable, Running } from "../../engine/table.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Lane } from "./collections/lane.js";
import type { MemoryEntry } from "./entry.js";
import type { Work } from "./work.js";

/** Running operations of one definition. */
class RunningOperations {
  readonly #ofTenants = new Map<string, Set<MemoryEntry>>();
  count = 0;

  /** Follows an operation that is new or has changed. */
  follow(entry: MemoryEntry): void {
    const { tenant } = entry.operation;
    const entries = getOrAdd(this.#ofTenants, tenant, () => new Set<MemoryEntry>());
    this.count -= entries.size;
    if (isRunning(entry)) entries.add(entry);
    else entries.delete(entry);
    this.count += entries.size;
    if (entries.size === 0) this.#ofTenants.delete(tenant);
  }

  of(tenant: string): ReadonlySet<MemoryEntry> {
    return this.#ofTenants.get(tenant) ?? NO_ENTRIES;
  }

  *all(): Iterable<MemoryEntry> {
    for (const entries of this.#ofTenants.values()) yield* entries;
  }
}

const NO_ENTRIES: ReadonlySet<MemoryEntry> = new Set();

/** Knows which operations run, and which ones are in a lane. */
export class Places implements Omit<PlaceTable<MemoryEntry>, "now" | "limited" | "nameOf"> {
  /** Of the definitions that have limits. */
  readonly #running = new Map<string, RunningOperations>();
  readonly #lanes = new Map<string, Lane<MemoryEntry>>();
  readonly #work: Work;
  readonly #now: () => number;
  readonly #unfinished: (definition: string) => Iterable<MemoryEntry>;

  /** `unfinished` returns all unfinished operations of a definition. It is called once, when the first limit is known. */
  constructor(work: Work, now: () => number, unfinished: (definition: string) => Iterable<MemoryEntry>) {
    this.#work = work;
    this.#now = now;
    this.#unfinished = unfinished;
  }

  /** Follows an operation that is new or has changed. */
  follow(entry: MemoryEntry): void {
    const { definition, lane, state } = entry.operation;
    this.#running.get(definition)?.follow(entry);
    if (lane !== undefined && state !== "preparing") this.#followIn(entry);
  }

  running(definition: string, tenant?: string): Running {
    const running = this.#runningOf(definition);
    if (tenant === undefined)
      return { count: running.count, firstEndsAt: () => this.#work.firstLeaseEndsAt(definition) };
    const entries = running.of(tenant);
    return { count: entries.size, firstEndsAt: () => firstEndOf(entries) };
  }

  countLive(definition: string, tenant: string): number {
    const entries = [...this.#runningOf(definition).of(tenant)];
    return entries.filter(({ leaseEndsAt }) => leaseEndsAt > this.#now()).length;
  }

  releaseExpired(definition: string, tenant?: string): void {
    const running = this.#running.get(definition);
    const entries = tenant === undefined ? running?.all() : running?.of(tenant);
    for (const entry of entries ?? [])
      if (entry.leaseEndsAt <= this.#now() && entry.operation.cancelRequested !== true) this.release(entry);
  }

  holderOfLane(
    entry: MemoryEntry,
  ): { readonly named: MemoryEntry; readonly leaseEndsAt: number } | undefined {
    const holder = this.#lanes.get(laneOf(entry.operation))?.holder;
    if (holder === undefined || holder === entry) return undefined;
    return { named: holder, leaseEndsAt: holder.leaseEndsAt };
  }

  firstOfLane(operation: InLane): MemoryEntry | undefined {
    return this.#lanes.get(laneOf(operation))?.first;
  }

  release(entry: MemoryEntry): void {
    release(entry);
    this.follow(entry);
    this.#work.follow(entry);
  }

  setBehind(entry: MemoryEntry, isBehind: boolean): void {
    this.#work.setBehind(entry, isBehind);
  }

  #runningOf(definition: string): RunningOperations {
    return getOrAdd(this.#running, definition, () => {
      const running = new RunningOperations();
      for (const entry of this.#unfinished(definition)) running.follow(entry);
      return running;
    });
  }

  #followIn(entry: MemoryEntry): void {
    const name = laneOf(entry.operation);
    const lane = getOrAdd(this.#lanes, name, () => new Lane<MemoryEntry>());
    if (isRunning(entry)) lane.holder = entry;
    else if (lane.holder === entry) lane.holder = undefined;
    if (entry.operation.settledAt === undefined) lane.join(entry);
    else lane.leave(entry);
    if (lane.size === 0) this.#lanes.delete(name);
  }
}

function firstEndOf(entries: Iterable<MemoryEntry>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { leaseEndsAt } of entries) first = Math.min(first, leaseEndsAt);
  return first;
}

type InLane = Parameters<PlaceTable<MemoryEntry>["firstOfLane"]>[0];

/** Returns the parts as one text. The lengths keep `a:b` + `c` and `a` + `b:c` apart. */
function laneOf({ definition, tenant, lane = "" }: InLane): string {
  return `${definition.length}:${definition}${tenant.length}:${tenant}${lane}`;
}
