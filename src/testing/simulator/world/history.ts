/** One history that happened. */
export interface History {
  /** The invariants that did not hold, each with what happened. Empty when the contract was kept. */
  readonly violations: readonly string[];
  /** What happened, line by line. */
  readonly trace: readonly string[];
  /** What chance decided, step by step: the same choices make the same history. */
  readonly choices: readonly (readonly number[])[];
}
