import type { BoundedCount, DefinitionStats } from "../../../ports/operation-reads.js";
import { type Entries, type Entry, isUncertain, stateOf } from "./entry.js";
import type { Pauses } from "./pauses.js";

type Count = "due" | "running" | "scheduled" | "failed";

const COUNTS: readonly Count[] = ["due", "running", "scheduled", "failed"];

/** Checks that counts agree with what was recorded, settled and leased (I21). */
export class Counts {
  readonly #entries: Entries;
  readonly #pauses: Pauses;

  constructor(entries: Entries, pauses: Pauses) {
    this.#entries = entries;
    this.#pauses = pauses;
  }

  /** Checks the counts that a store returned while no call was under way. */
  read(definitions: readonly string[], stats: readonly DefinitionStats[]): void {
    for (const name of definitions) {
      const found = stats.filter(({ definition }) => definition === name);
      if (found.length === 1) this.#check(found[0] as DefinitionStats);
      else this.#violated(`${name} has ${found.length} entries in the counts`);
    }
  }

  #check(stats: DefinitionStats): void {
    const { definition } = stats;
    if (this.#pauses.has(definition) !== (stats.paused !== undefined))
      this.#violated(`${definition} is counted as ${stats.paused === undefined ? "running" : "paused"}`);
    const all = this.#entries.where(({ recorded }) => recorded.definition === definition);
    const vague = all.filter((entry) => this.#isVague(entry));
    const certain = all.filter((entry) => !this.#isVague(entry));
    const doubts = vague.length + this.#possibleFollowUps(definition);
    for (const name of COUNTS) {
      const least = certain.filter((entry) => this.#countOf(entry) === name).length;
      const { count }: BoundedCount = stats[name];
      if (count < least || count > least + doubts)
        this.#violated(`${count} operations of ${definition} are counted as ${name}, expected ${least}`);
    }
    this.#checkOldest(stats, certain, doubts > 0);
  }

  /** Returns how many follow-ups may exist because an operation may have ended. */
  #possibleFollowUps(definition: string): number {
    return this.#entries.where((entry) => {
      const { onEnd } = entry.recorded;
      return (
        onEnd?.definition === definition && isUncertain(entry) && this.#entries.get(onEnd.id) === undefined
      );
    }).length;
  }

  #checkOldest(
    { definition, oldestDueMs }: DefinitionStats,
    certain: readonly Entry[],
    isVague: boolean,
  ): void {
    const due = certain.filter((entry) => this.#countOf(entry) === "due").map(dueSince);
    const expected = due.length === 0 ? undefined : this.#entries.now() - Math.min(...due);
    const isOlder = isVague && (expected === undefined || (oldestDueMs ?? 0) > expected);
    if (!isOlder && oldestDueMs !== expected)
      this.#violated(`${definition} has been due for ${oldestDueMs} ms, expected ${expected} ms`);
  }

  /** Returns the count that an operation belongs to. */
  #countOf(entry: Entry): Count | undefined {
    const now = this.#entries.now();
    const state = stateOf(entry);
    if (state !== "pending") return state === "failed" ? "failed" : undefined;
    if (dueSince(entry) <= now) return "due";
    return entry.token === undefined ? "scheduled" : "running";
  }

  /** Whether an operation may be counted in one way or another, or not at all. */
  #isVague(entry: Entry): boolean {
    return (
      entry.isVague ||
      isUncertain(entry) ||
      // Operations that wait in their lane are counted as due, and are due again when their turn comes.
      entry.recorded.lane !== undefined ||
      entry.attemptIfReleased !== undefined ||
      this.#entries.mayBeGone(entry) ||
      entry.successor !== undefined
    );
  }

  #violated(what: string): void {
    this.#entries.violated("I21", what);
  }
}

function dueSince({ token, dueAt, leaseEndsAt }: Entry): number {
  return token === undefined ? dueAt : leaseEndsAt;
}
