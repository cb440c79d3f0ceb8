import type { Choices } from "../choices.js";

/** Outcome of a call between a process and a store or queue. */
export type Fate =
  | "answered"
  /** The process dies, before the call arrives or after it has run. */
  | "crash-before"
  | "crash-after"
  /** The caller gets an error, after the call has run or although it never runs. */
  | "answer-lost"
  | "unavailable"
  /** The caller gets an error now, and the call runs later. */
  | "late"
  /** The call runs twice, and the caller gets the second answer. */
  | "twice";

/** Faults with their weights. */
export type Faults = readonly (readonly [Fate, number])[];

const FAULTS: Faults = [
  ["crash-before", 2],
  ["crash-after", 2],
  ["answer-lost", 2],
  ["unavailable", 1],
  ["late", 2],
  ["twice", 1],
];

/** Faults of the begin of a transaction. A begin is never repeated. */
export const AT_BEGIN: Faults = FAULTS.filter(([fate]) => fate !== "twice");

/** Faults of a commit. They are more likely than others, because most depends on the commit. */
export const AT_COMMIT: Faults = likelier(AT_BEGIN);

/** Faults of an append to an output. They are more likely too, because few histories have output. */
export const AT_APPEND: Faults = likelier(FAULTS);

/** Faults of an append that saves a checkpoint. It must not replace a later checkpoint, so it is late most often. */
export const AT_CHECKPOINT: Faults = [...AT_APPEND, ["late", 32]];

/** Faults of a transaction that is one call of a synchronous client. It cannot run after its caller got an error. */
export const AT_ONCE: Faults = AT_COMMIT.filter(([fate]) => fate !== "late");

/**
 * Faults of a statement in a transaction. It cannot be late, because a connection keeps the order of its statements.
 */
export const IN_BETWEEN: Faults = AT_BEGIN.filter(([fate]) => fate !== "late");

function likelier(faults: Faults): Faults {
  return faults.map(([fate, weight]) => [fate, weight * 4]);
}

/** With this weight, the first call of each name fails once in nine times. */
const WEIGHT_OF_AN_ANSWER = 80;

/**
 * Chooses the fate of a call. The more often a history has made calls of this name, the less likely the call is to
 * fail. Otherwise the sweeps, which make most of the calls, would use up the faults.
 */
export function chooseFate(choices: Choices, callsBefore: number, faults: Faults = FAULTS): Fate {
  return choices.weighted([["answered", WEIGHT_OF_AN_ANSWER * (callsBefore + 1)], ...faults]);
}
