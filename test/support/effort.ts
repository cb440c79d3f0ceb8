const { TEST_EFFORT } = process.env;

/** Returns how far a search goes: `quick` in `npm test`, `long` before a merge, and `night` in `npm run test:night`. */
export function effort(quick: number, long: number, night: number = long): number {
  if (TEST_EFFORT === "night") return night;
  return TEST_EFFORT === "long" ? long : quick;
}

/** First seed of a search. Each night searches where no run has searched before. */
export const FIRST_SEED: number = TEST_EFFORT === "night" ? Date.now() % 1_000_000_000 : 1;

/** Whether this run plays what no usual change can break: see CONTRIBUTING.md. */
export const isNight: boolean = TEST_EFFORT === "night";
