import { keptMs, type NewOperation, type Operation } from "../../contract/operation.js";
import { isRunning, overdueFrom } from "../../engine/entry.js";
import { passTurn } from "../../engine/places.js";
import type { InitialState } from "../../ports/operation-store.js";
import { createWatchers, type Watchers } from "../shared/local-notices.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Deadlines } from "./deadlines.js";
import { createMemoryEntry, type MemoryEntry } from "./entry.js";
import { Lists } from "./lists.js";
import { Outputs } from "./outputs.js";
import { Places } from "./places.js";
import { Retention } from "./retention.js";
import { Unfinished } from "./unfinished.js";
import { Work } from "./work.js";

/** The operations of a store, and the indexes that find them. */
export class Entries {
  readonly #now: () => number;
  readonly #byId = new Map<string, MemoryEntry>();
  readonly unfinished: Unfinished = new Unfinished();
  /** By definition, so that counts and lists of failed operations look at no others. */
  readonly failed: Map<string, Set<MemoryEntry>> = new Map();
  readonly work: Work = new Work();
  /** Which operations run, and the order of lanes. */
  readonly places: Places;
  readonly deadlines: Deadlines<MemoryEntry> = new Deadlines();
  readonly retention: Retention<MemoryEntry> = new Retention();
  readonly lists: Lists;
  readonly outputs: Outputs = new Outputs();
  readonly watchers: Watchers = createWatchers();

  constructor(now: () => number) {
    this.#now = now;
    this.places = new Places(this.work, now, (definition) => this.unfinished.of(definition));
    this.lists = new Lists(this);
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): Iterable<MemoryEntry> {
    return this.#byId.values();
  }

  find(id: string): MemoryEntry | undefined {
    return this.#byId.get(id);
  }

  add(operation: NewOperation, initial?: InitialState): void {
    const entry = createMemoryEntry(operation, initial, this.#now());
    this.#byId.set(operation.id, entry);
    this.lists.add(entry);
    if (entry.operation.settledAt === undefined) this.unfinished.add(entry);
    else this.#ended(entry);
    this.#changed(entry);
  }

  /** Runs a step of the entry's state machine and updates the indexes that depend on the entry. */
  apply<Result>(entry: MemoryEntry, step: (now: number) => Result): Result {
    const { operation, token } = entry;
    const result = step(this.#now());
    const hasEnded = operation.settledAt === undefined && entry.operation.settledAt !== undefined;
    if (hasEnded) this.unfinished.ended(entry);
    if (hasEnded) this.#ended(entry);
    if (entry.token !== undefined && entry.token !== token) this.outputs.begun(operation.id);
    if (entry.operation !== operation || entry.token !== token) {
      this.#changed(entry, operation);
      if (!isRunning(entry)) passTurn(this.places, entry.operation);
    } else this.work.follow(entry);
    return result;
  }

  delete(entry: MemoryEntry): void {
    const { id, definition } = entry.operation;
    this.#byId.delete(id);
    this.outputs.delete(id);
    this.failed.get(definition)?.delete(entry);
    this.lists.delete(entry);
  }

  #changed(entry: MemoryEntry, before?: Operation): void {
    this.places.follow(entry);
    this.work.follow(entry);
    this.deadlines.set(entry, overdueFrom(entry));
    if (entry.operation !== before) this.watchers.changed(entry.operation.id);
  }

  #ended(entry: MemoryEntry): void {
    const { tenant, definition, state, onEnd } = entry.operation;
    this.retention.ended(entry, this.#now(), keptMs(entry.operation));
    if (state === "failed") getOrAdd(this.failed, definition, () => new Set<MemoryEntry>()).add(entry);
    // A follow-up may exceed the maximum number, because the end of an operation must not fail.
    if (onEnd !== undefined && !this.#byId.has(onEnd.id)) this.add({ ...onEnd, tenant, hidden: true });
  }
}
