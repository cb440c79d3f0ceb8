import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { playOnMutant, postgresMutants } from "../backends/postgres/mutants.js";
import { plantedTurns, playTurns } from "../backends/sqlite/planted-turns.js";
import { describePostgres } from "../support/postgres/server.js";
import { describeClients } from "../support/sqlite/clients.js";
import { findSeeds, injectedFaults } from "./injected-faults.js";
import { libraryMutants, plantInLibrary, restoreLibrary } from "./library-mutants.js";
import { findSeed, type Planted, type Play, playOn, type Section, type SeedRange } from "./pinned-seeds.js";
import pins from "./pinned-seeds.json" with { type: "json" };
import { plantedBackends } from "./planted-backends.js";
import { plantedCounts, playCounts } from "./planted-counts.js";

const { PIN, PIN_SEED = 1, PIN_HISTORIES = 2_000 } = process.env;

/** The simulator must detect every mistake in one of these histories. */
const range: SeedRange = { first: Number(PIN_SEED), count: Number(PIN_HISTORIES) };

type Seeds = Readonly<Record<string, number | readonly number[]>>;
type Pins = Record<string, Seeds>;

/** Everything that was found. `PIN=1` pins it. */
const found: Pins = {};

afterAll(() => {
  if (PIN === "1") pin();
});

describe.each(Object.entries(plantedBackends))("%s", (section, table) => {
  it.each(Object.entries(table))("detects that %s", async (name, planted) => {
    await search(section as Section, name, planted, playOn(planted.create));
  });
});

describe("counts", () => {
  it.each(Object.entries(plantedCounts))("detects that %s", async (name, planted) => {
    await search("counts", name, planted, playCounts(planted));
  });
});

describe("library", () => {
  afterEach(restoreLibrary);

  it.each(Object.entries(libraryMutants))("detects that %s", async (name, mutant) => {
    await search("library", name, mutant, await plantInLibrary(mutant));
  });
});

await describePostgres("postgres", (server) => {
  it.each(Object.entries(postgresMutants))("detects that %s", async (name, mutant) => {
    await search("postgres", name, mutant, playOnMutant(server, mutant));
  });
});

describeClients(
  "sqlite",
  (client) => {
    it(`detects that ${plantedTurns.name}`, () =>
      search("sqlite", plantedTurns.name, plantedTurns, playTurns(client)));
  },
  ["libsql"],
);

describe("fates", () => {
  it.each(Object.entries(injectedFaults))(
    "injects every fault into every call of %s",
    async (name, given) => {
      report("fates", name, await findSeeds(given, range));
    },
  );
});

async function search(section: Section, name: string, planted: Planted, play: Play): Promise<void> {
  report(section, name, await findSeed(planted, play, range));
}

/** Prints what was found, and remembers it for the pins. */
function report(section: string, name: string, seeds: number | readonly number[] | undefined): void {
  expect(
    seeds,
    `No history from seed ${range.first} to ${range.first + range.count - 1} shows it.`,
  ).toBeDefined();
  if (seeds === undefined) return;
  console.log(`${section}: ${name} -> ${seeds}`);
  found[section] = { ...found[section], [name]: seeds };
}

/** Writes the seeds that were found, and keeps the others. Drops the pins of mistakes that no longer exist. */
function pin(): void {
  const names: readonly (readonly [string, readonly string[]])[] = [
    ["fates", Object.keys(injectedFaults)],
    ["counts", Object.keys(plantedCounts)],
    ["library", Object.keys(libraryMutants)],
    ["postgres", Object.keys(postgresMutants)],
    ["sqlite", [plantedTurns.name]],
    ...Object.entries(plantedBackends).map(([section, table]) => [section, Object.keys(table)] as const),
  ];
  const sections = names.map(([section, existing]) => {
    const seeds: Seeds = { ...(pins as Pins)[section], ...found[section] };
    return [section, sorted(Object.entries(seeds).filter(([name]) => existing.includes(name)))] as const;
  });
  const file = join(import.meta.dirname, "pinned-seeds.json");
  writeFileSync(file, JSON.stringify(sorted(sections), undefined, 2));
  execFileSync("npx", ["biome", "format", "--write", file]);
}

/** Returns a record in the order of its keys. */
function sorted<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
