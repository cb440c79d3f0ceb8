/** One simulated history. */
export interface History {
  /** The violated invariants, each with what happened. Empty if the contract held. */
  readonly violations: readonly string[];
  /** All events, line by line. */
  readonly trace: readonly string[];
  /** The random choices, step by step. The same choices produce the same history. */
  readonly choices: readonly (readonly number[])[];
}
