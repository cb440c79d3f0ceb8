import type { Choices } from "../choices.js";

/** What can happen to a call between a process and a store or queue. */
export type Fate =
  | "answered"
  /** The process dies, before the call arrived or after it was done. */
  | "crash-before"
  | "crash-after"
  /** The caller gets an error, though it was done; or it was not. */
  | "answer-lost"
  | "unavailable"
  /** The caller gets an error now, and it is done later. */
  | "late"
  /** It arrives twice; the second answer is the one that gets back. */
  | "twice";

/** Faults, each as likely as its weight. */
export type Faults = readonly (readonly [Fate, number])[];

const FAULTS: Faults = [
  ["crash-before", 2],
  ["crash-after", 2],
  ["answer-lost", 2],
  ["unavailable", 1],
  ["late", 2],
  ["twice", 1],
];

/** What can go wrong when a transaction begins. Nobody repeats one. */
export const AT_BEGIN: Faults = FAULTS.filter(([fate]) => fate !== "twice");

/** What can go wrong when a transaction commits: on nothing depends more, so it is more likely. */
export const AT_COMMIT: Faults = AT_BEGIN.map(([fate, weight]) => [fate, weight * 4]);

/** What can go wrong in between: a connection keeps the order of its statements. */
export const IN_BETWEEN: Faults = AT_BEGIN.filter(([fate]) => fate !== "late");

/** The first call of a name fails once in nine times. */
const WEIGHT_OF_AN_ANSWER = 80;

/**
 * Chooses what happens to a call. The more calls of its name were made in a history, the less likely it is to fail:
 * otherwise the sweeps, which are most of the calls, would use up the faults.
 */
export function chooseFate(choices: Choices, callsBefore: number, faults: Faults = FAULTS): Fate {
  return choices.weighted([["answered", WEIGHT_OF_AN_ANSWER * (callsBefore + 1)], ...faults]);
}
