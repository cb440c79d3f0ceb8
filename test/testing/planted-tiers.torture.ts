import { type Backend, type Clock, composeStores } from "async-request-reply";
import type { SeparateOperationStore } from "async-request-reply/ports";
import {
  type OutputBackend,
  operationStoreCases,
  outputStoreCases,
  type PortCase,
  type PortHarness,
  type SimulatedBackend,
  separateOperationStoreCases,
  simulate,
  submissionsCases,
} from "async-request-reply/testing";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../src/platform/system-runtime.js";
import { plantedFaults } from "../adapters/planted-faults.js";
import { requestCases, storeCases } from "../support/adapter-suite/cases.js";
import type { AdapterCase, AdapterHarness } from "../support/adapter-suite/fixtures/adapter-case.js";
import { memoryOperations, memoryOutput, memorySubmissions } from "../support/memory-harnesses.js";
import { createPlainHarness } from "../support/plain-harness.js";
import { type Plant, plants } from "./plants.js";

/** Histories of the simulator in `npm test` and before a merge: see simulator.test.ts. */
const QUICK = 15;
const LONG = Number(process.env.PLANTED_HISTORIES ?? 200);
/** Plants only faults whose names match. All of them take about half an hour. */
const CHOSEN = new RegExp(process.env.PLANTED ?? "");
/** A mistake that keeps a case or a history waiting for this long is found. Milliseconds. */
const HANGS_MS = 3_000;

/** Tests that find mistakes. */
const instruments = [
  "request cases",
  "store cases",
  "port suites",
  `${QUICK} histories`,
  `${LONG} histories`,
] as const;
type Instrument = (typeof instruments)[number];

const onMemory: readonly Instrument[] = ["request cases", "store cases", "port suites", `${QUICK} histories`];

/** Tests that each script plays, once or several times. The night plays all of them. */
const scripts: Readonly<Record<string, Readonly<Record<string, readonly Instrument[]>>>> = {
  before: {
    test: onMemory,
    "test:long": ["request cases", "store cases", "port suites", `${LONG} histories`],
    "test:servers": ["request cases", "store cases", "port suites", `${QUICK} histories`],
    "test:brokers": ["request cases", "store cases"],
    "test:runtimes": ["request cases", "store cases"],
  },
  after: {
    test: onMemory,
    "test:long": ["request cases", "store cases", `${LONG} histories`],
    "test:servers": ["store cases", "port suites", `${QUICK} histories`],
    "test:brokers": ["store cases"],
    "test:runtimes": ["request cases", "store cases"],
  },
};

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly foundBy: readonly Instrument[];
}

it("prints which tests find which planted fault", async () => {
  const rows: Row[] = [];
  for (const [name, fault] of Object.entries(plantedFaults)) {
    const harness = createPlainHarness(fault);
    const foundBy = await finders({
      "request cases": () => someFails(requestCases, harness),
      "store cases": () => someFails(storeCases, harness),
    });
    rows.push({ kind: "an adapter", name: `an adapter that ${name}`, foundBy });
  }
  for (const plant of plants.filter(({ name }) => CHOSEN.test(name))) {
    let history: Promise<number> | undefined;
    const failingHistory = (): Promise<number> => {
      history ??= firstFailingHistory(plant);
      return history;
    };
    const harness = createPlainHarness(undefined, (options) =>
      backendOf(plant, options?.clock ?? systemClock),
    );
    const foundBy = await finders({
      "request cases": () => someFails(requestCases, harness),
      "store cases": () => someFails(storeCases, harness),
      "port suites": async () => plant.inPortSuites ?? portSuitesFail(plant),
      [`${QUICK} histories`]: async () => (await failingHistory()) <= QUICK,
      [`${LONG} histories`]: async () => (await failingHistory()) <= LONG,
    });
    rows.push({ ...plant, foundBy });
    console.log(`${plant.name}: ${foundBy.join(", ") || "nothing"}`);
  }
  console.log(toTable(rows));
  expect(rows.filter(({ foundBy }) => foundBy.length === 0).map(({ name }) => name)).toEqual([]);
});

async function finders(
  finds: Readonly<Partial<Record<Instrument, () => Promise<boolean>>>>,
): Promise<readonly Instrument[]> {
  const found: Instrument[] = [];
  for (const instrument of instruments) if (await finds[instrument]?.()) found.push(instrument);
  return found;
}

const systemClock: Clock = createSystemRuntime().clock;

function backendOf(plant: Plant, clock: Clock): Backend<never> {
  const created = plant.create(clock) as SimulatedBackend;
  const backend = "backend" in created ? created.backend : created;
  return ("submissions" in backend ? backend : composeStores(backend, { clock })) as Backend<never>;
}

/** Returns whether some work fails. Work that a mistake keeps waiting has failed too. */
function fails(work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => false,
    () => true,
  );
  return Promise.race([ended, new Promise<boolean>((resolve) => setTimeout(resolve, HANGS_MS, true))]);
}

/** Runs the cases at the same time, because some wait. */
async function someFails(cases: readonly AdapterCase[], harness: AdapterHarness): Promise<boolean> {
  const failing = new Set(await failingAnyway());
  const runnable = cases.filter(
    ({ name, needs = [] }) => !failing.has(name) && needs.every((need) => harness.capabilities[need]),
  );
  return fails(Promise.all(runnable.map((each) => each.run(harness))));
}

let anyway: Promise<readonly string[]> | undefined;

/** Returns the cases that fail without a mistake, because the smallest adapter cannot do everything. */
function failingAnyway(): Promise<readonly string[]> {
  anyway ??= Promise.all(
    [...requestCases, ...storeCases].map(async ({ name, run }) =>
      run(createPlainHarness()).then(
        () => [],
        () => [name],
      ),
    ),
  ).then((names) => names.flat());
  return anyway;
}

async function portSuitesFail(plant: Plant): Promise<boolean> {
  const operations = memoryOperations(
    (_, clock) => backendOf(plant, clock).operations as SeparateOperationStore,
  );
  if (await someCaseFails(operationStoreCases, operations)) return true;
  if ("idempotency" in plant.create(systemClock))
    return someCaseFails(separateOperationStoreCases, operations);
  const submissions = memorySubmissions((_, clock) => backendOf(plant, clock));
  if (await someCaseFails(submissionsCases, submissions)) return true;
  const output = memoryOutput((_, clock) => backendOf(plant, clock) as OutputBackend);
  return backendOf(plant, systemClock).output !== undefined && someCaseFails(outputStoreCases, output);
}

async function someCaseFails<Harness extends PortHarness<unknown>>(
  cases: readonly PortCase<Harness>[],
  harness: Harness,
): Promise<boolean> {
  for (const { run } of cases) if (await fails(run(harness))) return true;
  return false;
}

async function firstFailingHistory({ create }: Plant): Promise<number> {
  for (let history = 1; history <= LONG; history += 1) {
    const seed = 1 + 3 * (history - 1);
    if (await fails(simulate(create, { seed, shrink: false }))) return history;
  }
  return Number.POSITIVE_INFINITY;
}

/** Counts by kind of fault what each instrument and each script finds, and names what only one instrument finds. */
function toTable(rows: readonly Row[]): string {
  const lines = [
    `| Planted in | faults | ${instruments.join(" | ")} |`,
    `|---|---|${instruments.map(() => "---|").join("")}`,
  ];
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const ofKind = rows.filter((row) => row.kind === kind);
    const counts = instruments.map((each) => ofKind.filter(({ foundBy }) => foundBy.includes(each)).length);
    const alone = instruments.map((each) => ofKind.filter(({ foundBy }) => foundBy.join() === each).length);
    const cells = counts.map((count, index) => `${count} (${alone[index]} alone)`);
    lines.push(`| ${kind} | ${ofKind.length} | ${cells.join(" | ")} |`);
  }
  for (const [time, played] of Object.entries(scripts)) {
    lines.push("", `| Script, ${time} | finds | alone |`, "|---|---|---|");
    for (const [script, plays] of Object.entries(played)) {
      const others = Object.entries(played).flatMap(([name, each]) => (name === script ? [] : each));
      const found = rows.filter(({ foundBy }) => foundBy.some((each) => plays.includes(each)));
      const alone = found.filter(({ foundBy }) => !foundBy.some((each) => others.includes(each)));
      lines.push(`| ${script} | ${found.length} of ${rows.length} | ${alone.length} |`);
    }
  }
  lines.push("", `Found only by the ${LONG} histories, or by nothing here:`);
  for (const { name, foundBy } of rows)
    if (foundBy.every((each) => each === `${LONG} histories`))
      lines.push(`- ${name}: ${foundBy.join() || "-"}`);
  return lines.join("\n");
}
