import { isTerminal } from "../../../contract/operation.js";
import type { Process } from "../world/process.js";
import { type Entries, type Entry, isUncertain, mayBeOverdue, waits } from "./entry.js";
import type { Pauses } from "./pauses.js";
import type { Places } from "./places.js";

/** A worker, and the definitions of which it had a free slot after its last claim. */
interface Worker {
  readonly process: Process;
  readonly wanted: ReadonlySet<string>;
}

/** Workers claim at least this often. Milliseconds. */
const CLAIM_INTERVAL_MS = 10_000;

/**
 * Checks that no work that may begin waits longer than the interval of claims while a worker has a free slot for it (I27). This
 * holds without rings, but not with faults.
 */
export class Conservation {
  readonly #entries: Entries;
  readonly #places: Places;
  readonly #pauses: Pauses;
  /** Time since which each operation could begin. */
  #waiting: ReadonlyMap<string, number> = new Map();
  /** Time since which each worker has had a free slot of each definition. */
  #free: ReadonlyMap<Worker, ReadonlyMap<string, number>> = new Map();

  constructor(entries: Entries, places: Places, pauses: Pauses) {
    this.#entries = entries;
    this.#places = places;
    this.#pauses = pauses;
  }

  /** Called after each event. */
  judge(workers: Iterable<Worker>): void {
    const now = this.#entries.now();
    const waiting = this.#entries.where((entry) => this.#mayBegin(entry));
    this.#waiting = new Map(waiting.map(({ id }) => [id, this.#waiting.get(id) ?? now]));
    const running = [...workers].filter(({ process }) => !process.dead && process.frozenUntil <= now);
    this.#free = new Map(running.map((worker) => [worker, this.#freeOf(worker)]));
    for (const { id, recorded } of waiting) {
      const since = Math.min(
        ...running.map((worker) => this.#free.get(worker)?.get(recorded.definition) ?? now),
      );
      const waitedMs = now - Math.max(since, this.#waiting.get(id) ?? now);
      if (waitedMs > CLAIM_INTERVAL_MS)
        this.#entries.violated(
          "I27",
          `${id} has waited for ${waitedMs} ms although a worker had a free slot`,
        );
    }
  }

  #freeOf(worker: Worker): ReadonlyMap<string, number> {
    const before = this.#free.get(worker);
    const now = this.#entries.now();
    return new Map([...worker.wanted].map((name) => [name, before?.get(name) ?? now]));
  }

  /** Returns whether an operation may begin now, for certain. */
  #mayBegin(entry: Entry): boolean {
    const now = this.#entries.now();
    return (
      waits(entry) &&
      entry.dueAt <= now &&
      !mayBeOverdue(entry, now) &&
      !this.#entries.mayBeGone(entry) &&
      !this.#pauses.has(entry.recorded.definition) &&
      this.#places.isFree(entry) &&
      this.#hasTurn(entry)
    );
  }

  /** Returns whether an operation is the first of its lane, for certain, and no other one of it runs. */
  #hasTurn(entry: Entry): boolean {
    const { tenant, recorded } = entry;
    if (recorded.lane === undefined) return true;
    const others = this.#entries.where(
      (other) =>
        other !== entry &&
        other.tenant === tenant &&
        other.recorded.definition === recorded.definition &&
        other.recorded.lane === recorded.lane,
    );
    return others.every(
      (other) => !other.contents.mayBe(({ state }) => !isTerminal(state)) || isAfter(other, entry),
    );
  }
}

function isAfter(other: Entry, { id, createdAt }: Entry): boolean {
  const isKnown = other.token === undefined && !other.isVague && !isUncertain(other);
  if (!isKnown || other.createdAt === undefined || createdAt === undefined) return false;
  return other.createdAt > createdAt || (other.createdAt === createdAt && other.id > id);
}
