/** Where a simulated world asks what happens next. The same choices make the same history. */
export interface Choices {
  /** A whole number in [0, count). 0 is always the dullest answer: go on, no fault. */
  choose(count: number): number;
  /** One of the names, each as likely as its weight; the first is the dullest. */
  weighted<Name extends string>(options: readonly (readonly [name: Name, weight: number])[]): Name;
  /** What was answered so far. */
  readonly made: readonly number[];
}

/** Choices by a seed: the same seed makes the same history. */
export function randomChoices(seed: number): Choices {
  const random = mulberry32(seed);
  return toChoices((count) => Math.floor(random() * count));
}

/** Choices made before, and the dullest ones after their end. */
export function recordedChoices(recorded: readonly number[]): Choices {
  let next = 0;
  return toChoices((count) => (recorded[next++] ?? 0) % count);
}

function toChoices(draw: (count: number) => number): Choices {
  const made: number[] = [];
  const choose = (count: number): number => {
    const choice = draw(count);
    made.push(choice);
    return choice;
  };
  return {
    made,
    choose,
    weighted: (options) => {
      let left = choose(options.reduce((sum, [, weight]) => sum + weight, 0));
      const found = options.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? (options[0] as (typeof options)[number]))[0];
    },
  };
}

/** A small generator with 32 bits of state: good enough to wander, and the same on every platform. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
