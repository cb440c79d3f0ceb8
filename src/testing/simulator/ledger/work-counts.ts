import type { OperationState } from "../../../contract/operation.js";
import { type Problem, problemType } from "../../../contract/problem.js";
import type { StepWork, WorkCounts } from "../../../ports/minutes-store.js";
import type { Content } from "./contents.js";
import { type Entries, type Entry, isUncertain, stateOf } from "./entry.js";

type Count = Extract<keyof WorkCounts, "accepted" | "completed" | "failed" | "cancelled">;

const COUNTS: readonly Count[] = ["accepted", "completed", "failed", "cancelled"];

/**
 * Checks what processes have counted by minute (I29): never more than what has happened, and all of it in a history without faults,
 * jumps of the clock and frozen processes.
 */
export class WorkCountsJudge {
  readonly #entries: Entries;
  /** Operations that were created without the library. */
  readonly #uncounted = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that the caller of a store has created an operation, which no process counts. */
  createdDirectly(id: string): void {
    this.#uncounted.add(id);
  }

  /** Checks the sums of a definition at the end of a history. */
  read(definition: string, steps: readonly StepWork[], isComplete: boolean): void {
    const all = this.#entries.where(({ recorded }) => recorded.definition === definition);
    for (const name of COUNTS) {
      const counted = steps.reduce((sum, step) => sum + step[name], 0);
      const most = all.filter((entry) => mayCountAs(entry, name)).length + this.#repeated(definition, name);
      const least = all.filter((entry) => this.#countsAs(entry, name)).length;
      if (counted > most || (isComplete && counted < least))
        this.#entries.violated(
          "I29",
          `${counted} operations of ${definition} are counted as ${name}, expected ${least} to ${most}`,
        );
    }
  }

  /** Returns how many operations may count twice: a caller cancelled them after their attempt was lost, and then its worker settled it. */
  #repeated(definition: string, name: Count): number {
    if (name === "completed") return 0;
    const crossed = this.#entries.where(
      ({ tokens, contents }) =>
        tokens.size > 0 && contents.mayBe((content) => endOf(content) === "cancelled"),
    );
    const isOf = ({ recorded }: Entry): boolean =>
      definition === (name === "accepted" ? recorded.onEnd?.definition : recorded.definition);
    return crossed.filter(isOf).length;
  }

  #countsAs(entry: Entry, name: Count): boolean {
    if (isUncertain(entry)) return false;
    if (name === "accepted") return !this.#uncounted.has(entry.id);
    return endOf(entry.contents.current) === name;
  }
}

function mayCountAs(entry: Entry, name: Count): boolean {
  return name === "accepted" || entry.contents.mayBe((content) => endOf(content) === name) || isLost(entry);
}

/** Returns whether an operation may have ended unseen before it was deleted. */
function isLost(entry: Entry): boolean {
  return isUncertain(entry) || UNFINISHED.includes(stateOf(entry));
}

const UNFINISHED: readonly OperationState[] = ["preparing", "pending"];

function endOf({ state, error = "{}" }: Content): Count | undefined {
  if (state === "completed") return state;
  if (state !== "failed") return undefined;
  return (JSON.parse(error) as Partial<Problem>).type === problemType("cancelled") ? "cancelled" : "failed";
}
