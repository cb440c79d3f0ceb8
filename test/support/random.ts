/** Random numbers determined by a seed. */
export interface Random {
  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32: small, and random enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  return {
    below,
    pick: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error("cannot pick from an empty list");
      return choice;
    },
  };
}
