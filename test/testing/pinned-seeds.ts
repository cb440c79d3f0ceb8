import {
  type CreateBackend,
  SimulationFailure,
  type SimulationOptions,
  simulate,
} from "async-request-reply/testing";
import { expect } from "vitest";
import pins from "./pinned-seeds.json" with { type: "json" };

/** A short trace has fewer lines than this. */
export const SHORT_TRACE = 150;

/** Sections of the pins that have one seed for each mistake. */
export type Section = Exclude<keyof typeof pins, "fates">;

/** Seeds to search. */
export interface SeedRange {
  readonly first: number;
  readonly count: number;
}

/** A mistake that the simulator must detect. */
export interface Planted {
  readonly violation: RegExp;
  /** Last line of each trace with the violation. Default: any. */
  readonly lastLine?: RegExp;
  /** Whether shrinking finds a short trace. Default: `false`. */
  readonly hasShortTrace?: boolean;
}

/** Plays one history of a library or a back end with a mistake. Returns its failure. */
export type Play = (options: SimulationOptions) => Promise<SimulationFailure | undefined>;

/** Returns how to play histories on a back end. `testing` is another copy of the simulator. */
export function playOn(create: CreateBackend, testing = { SimulationFailure, simulate }): Play {
  return async (options) => {
    try {
      await testing.simulate(create, options);
      return undefined;
    } catch (error) {
      if (error instanceof testing.SimulationFailure) return error;
      throw error;
    }
  };
}

/** Plays the pinned seed of a mistake, which must show the violation. */
export async function expectAtPin(
  section: Section,
  name: string,
  { violation, lastLine = /^/ }: Planted,
  play: Play,
  { shrink = false }: { readonly shrink?: boolean } = {},
): Promise<SimulationFailure> {
  const seed = (pins[section] as Readonly<Record<string, number>>)[name];
  const failure = seed === undefined ? undefined : await play({ seed, shrink });
  const outdated = outdatedPin(
    seed === undefined ? "No seed is pinned for this mistake." : `Seed ${seed} no longer shows this mistake.`,
  );
  expect(failure?.violations.join() ?? "", outdated).toMatch(violation);
  expect(failure?.trace.at(-1), outdated).toMatch(lastLine);
  return failure as SimulationFailure;
}

/** Returns the message of a test whose pin no longer shows what it should. */
export function outdatedPin(problem: string): string {
  return `${problem} If a change gives seeds other histories, pin new seeds: PIN=1 npm run torture -- test/testing/planted-seeds`;
}

/** Returns the first seed that can be pinned for a mistake. */
export async function findSeed(
  planted: Planted,
  play: Play,
  { first, count }: SeedRange,
): Promise<number | undefined> {
  const shrink = planted.hasShortTrace === true;
  for (let seed = first; seed < first + count; seed += 1) {
    // Shrinking takes as long as hundreds of histories.
    if (!shows(planted, await play({ seed, shrink: false }))) continue;
    // Without shrinking, the second play shows that the history repeats itself, also on a server.
    const again = await play({ seed, shrink });
    if (shows(planted, again) && (!shrink || again.trace.length < SHORT_TRACE)) return seed;
  }
  return undefined;
}

/** Not every failure shows the mistake: a back end that contradicts itself also answers some requests with 500. */
function shows(
  { violation, lastLine = /^/ }: Planted,
  failure: SimulationFailure | undefined,
): failure is SimulationFailure {
  return violation.test(failure?.violations.join() ?? "") && lastLine.test(failure?.trace.at(-1) ?? "");
}
