/** Decides what happens next in a simulated world. The same choices always produce the same history. */
export interface Choices {
  /** Returns an integer in [0, count). 0 is always the least eventful choice: go on without a fault. */
  choose(count: number): number;
  /** Returns one of the names, with a probability proportional to its weight. The first is the least eventful. */
  weighted<Name extends string>(options: readonly (readonly [name: Name, weight: number])[]): Name;
  /** Begins the choices of the next step, so that a removed step does not change the meaning of the others. */
  nextStep(): void;
  /** All choices so far, step by step. */
  readonly made: readonly (readonly number[])[];
}

/** Creates choices from a seed. The same seed always produces the same history. */
export function randomChoices(seed: number): Choices {
  const random = mulberry32(seed);
  return toChoices((count) => Math.floor(random() * count));
}

/** Replays recorded choices. If a step has no more of them, it makes the least eventful choice. */
export function recordedChoices(recorded: readonly (readonly number[])[]): Choices {
  return toChoices((count, step, place) => (recorded[step]?.[place] ?? 0) % count);
}

function toChoices(draw: (count: number, step: number, place: number) => number): Choices {
  const made: number[][] = [[]];
  const choose = (count: number): number => {
    const step = made.at(-1) as number[];
    const choice = draw(count, made.length - 1, step.length);
    step.push(choice);
    return choice;
  };
  return {
    made,
    choose,
    nextStep: () => void made.push([]),
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

/** Creates a small random number generator with 32 bits of state, which gives the same numbers on every platform. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
