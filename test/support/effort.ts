const { TEST_EFFORT } = process.env;

/**
 * Returns how far a search goes, or what it plays: `quick` in `npm test`, `long` before a merge, and `night` in
 * `npm run test:night`.
 */
export function effort<Value>(quick: Value, long: Value, night: Value = long): Value {
  if (TEST_EFFORT === "night") return night;
  return TEST_EFFORT === "long" ? long : quick;
}

/** Returns each `step`-th of many similar cases in `npm test`, and all of them otherwise. */
export function sampleOf<Case>(cases: readonly Case[], step: number): readonly Case[] {
  return cases.filter((_, index) => index % effort(step, 1) === 0);
}

/** First seed of a search. Each night searches where no run has searched before. */
export const FIRST_SEED: number = TEST_EFFORT === "night" ? Date.now() % 1_000_000_000 : 1;

/** Whether this run plays what no usual change can break: see CONTRIBUTING.md. */
export const isNight: boolean = TEST_EFFORT === "night";
