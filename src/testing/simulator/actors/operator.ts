import { isAsyncReplyError } from "../../../contract/errors.js";
import { type Problem, type ProblemName, problemType } from "../../../contract/problem.js";
import { createOperator, type Operator } from "../../../operator/operator.js";
import type { RedriveFilter } from "../../../operator/redrive-many.js";
import { type Entry, isHidden, stateOf } from "../ledger/entry.js";
import { portsOf } from "../ports/ports.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import { Process } from "../world/process.js";
import { MAX_LATENESS_MS } from "../world/world.js";
import { runtimeOf } from "./actors.js";
import { NOTICES } from "./notices.js";
import { orders } from "./orders.js";

const MAX_TRIES = 3;
/** Puts a short pause between two redrives of a run. */
const PER_SECOND = 100;

/** Ends all pauses, twice, because a late call may pause a definition again. */
export async function resumeAll(stage: Stage): Promise<void> {
  const process = new Process("operator");
  const operator = operatorOf(stage, process);
  for (const lateMs of [0, MAX_LATENESS_MS + 1]) {
    await new Promise<void>((resolve) => stage.world.clockOf(process).schedule(lateMs, resolve));
    for (const name of operator.definitions) await operator.resume(name);
  }
}

/**
 * Redrives failed operations and pauses definitions from time to time. If the process of the operator dies, another one
 * replaces it.
 */
export async function runOperator(stage: Stage, name: string, over: () => boolean): Promise<void> {
  while (!over()) {
    const process = new Process(name);
    await Promise.race([process.death, operate(stage, process, over)]);
  }
}

async function operate(stage: Stage, process: Process, over: () => boolean): Promise<void> {
  const { world, ledger } = stage;
  const { choices } = world;
  const operator = operatorOf(stage, process);
  const { redrive } = portsOf(stage, process).operations;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => world.clockOf(process).schedule(ms, resolve));

  while (!over()) {
    await wait([5_000, 60_000, 600_000][choices.choose(3)] ?? 0);
    const way = choices.weighted([
      ["id", 3],
      ["filter", 2],
      ["store", 1],
      ["pause", 1],
    ]);
    if (way === "pause") {
      await pauseOne();
      continue;
    }
    const id = chooseFailed(stage);
    if (way === "filter") await tryTo("redriving by filter", chooseFilterRun(stage, operator));
    else if (id !== undefined && way === "id")
      await tryTo(`redriving ${short(id)}`, () => redriveById(stage, operator, id));
    else if (id !== undefined) await tryTo(`redriving ${short(id)}`, chooseSuccessor(id));
  }

  /** Repeats a call until it succeeds, at most `MAX_TRIES` times. */
  async function tryTo(what: string, run: () => Promise<unknown>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      try {
        await run();
        return;
      } catch (error) {
        world.note(`${process.name}: ${what} failed`);
        if (!isAsyncReplyError(error)) throw error;
      }
    }
  }

  /** Pauses a definition for a while. If the process dies meanwhile, the next one that chooses it resumes it. */
  async function pauseOne(): Promise<void> {
    const name = operator.definitions[choices.choose(operator.definitions.length)] ?? orders.name;
    if (!ledger.pauses.has(name)) {
      await tryTo(`pausing ${name}`, () => operator.pause(name));
      await wait([1_000, 31_000][choices.choose(2)] ?? 0);
    }
    await tryTo(`resuming ${name}`, () => operator.resume(name));
  }

  /** Redrives in the store itself, with ids that no operator would choose. The first successor must stay. */
  function chooseSuccessor(id: string): () => Promise<unknown> {
    const successor = { id: stage.newId(), onEndId: stage.newId() };
    return async () => {
      const result = await redrive(id, successor);
      if (result.outcome !== "redriven") return;
      ledger.redrives.returned(id, result.operationId);
      if (result.created) ledger.work.createdDirectly(result.operationId);
    };
  }
}

function operatorOf(stage: Stage, process: Process): Operator<"orders" | "notices"> {
  return createOperator({
    backend: portsOf(stage, process),
    definitions: [orders, NOTICES],
    runtime: runtimeOf(stage, process),
    observe: false,
  });
}

/** Chooses a failed operation or, sometimes, any other. Half of the time, only among hidden ones, which are rarer. */
function chooseFailed({ world: { choices }, ledger }: Stage): string | undefined {
  const any = choices.choose(8) === 7;
  const entries = ledger.entries.where((entry) => any || stateOf(entry) === "failed");
  const hidden = entries.filter(isHidden);
  const chosen = hidden.length > 0 && choices.choose(2) === 1 ? hidden : entries;
  return chosen[choices.choose(chosen.length + 1)]?.id;
}

async function redriveById({ ledger }: Stage, operator: Operator, id: string): Promise<void> {
  const expected = ledger.redrives.redrivable((entry) => entry.id === id);
  const { operation } = await operator.redrive(id);
  if (operation !== undefined) ledger.redrives.returned(id, operation.operationId);
  ledger.redrives.checkRedriven(expected);
}

/** Redrives by a filter, and checks that every matching operation that had failed before was run again. */
function chooseFilterRun({ world, ledger }: Stage, operator: Operator): () => Promise<void> {
  const filter = FILTERS[world.choices.choose(FILTERS.length)] as RedriveFilter;
  return async () => {
    const expected = ledger.redrives.redrivable((entry) => matches(filter, entry));
    const { redriven, skipped, cursor } = await operator.redrive(filter, { perSecond: PER_SECOND });
    world.note(`redriven by ${JSON.stringify(filter)}: ${redriven}, skipped: ${skipped}`);
    if (cursor === undefined) ledger.redrives.checkRedriven(expected);
  };
}

const FILTERS: readonly RedriveFilter[] = [
  { definition: orders.name },
  { tenant: "tenant-1" },
  { definition: NOTICES.name, internal: true },
  { errorType: "attempts-exhausted", internal: true },
  { errorType: "cancelled" },
];

function matches({ definition, tenant, errorType, internal = false }: RedriveFilter, entry: Entry): boolean {
  return (
    (internal || !isHidden(entry)) &&
    (definition === undefined || entry.recorded.definition === definition) &&
    (tenant === undefined || entry.tenant === tenant) &&
    (errorType === undefined ? !hasFailedAs(entry, "cancelled") : hasFailedAs(entry, errorType))
  );
}

function hasFailedAs({ contents }: Entry, name: ProblemName): boolean {
  const { error = "{}" } = contents.current;
  return (JSON.parse(error) as Partial<Problem>).type === problemType(name);
}
