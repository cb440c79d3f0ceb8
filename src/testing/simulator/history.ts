/** One history that happened. */
export interface History {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly choices: readonly number[];
}
