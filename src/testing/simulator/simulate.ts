import type { Backend } from "../../ports/backend.js";
import type { Clock } from "../../ports/runtime.js";
import { keepWorker } from "./actors/actors.js";
import { createEntrances, runClient } from "./actors/clients.js";
import { Extras } from "./actors/extras.js";
import { runOperator } from "./actors/operator.js";
import { type Choices, randomChoices, recordedChoices } from "./choices.js";
import { type Entry, isHidden } from "./ledger/entry.js";
import { Ledger } from "./ledger/ledger.js";
import { unfinished } from "./ledger/readings.js";
import { Transactions, type UserTransactions } from "./ports/transactions.js";
import type { Stage } from "./stage.js";
import type { History } from "./world/history.js";
import { shrink } from "./world/shrink.js";
import { Process, World } from "./world/world.js";

/** What {@link simulate} takes. More of anything finds more and takes longer. */
export interface SimulationOptions {
  /** The same seed makes the same history, where the back end itself is deterministic. */
  readonly seed: number;
  /** How many things go wrong at most: crashes, lost answers, calls that fail, come late or twice. Default 6. */
  readonly faults?: number;
  /** How many clients submit and poll. Default 3. Two of them share a tenant, and all of them few keys, so that duplicates are common. */
  readonly clients?: number;
  /** How many workers there are. Default 2. */
  readonly workers?: number;
  /** How many processes accept requests. Default 2. */
  readonly apis?: number;
  /** How many things happen before the world calms down. Default 250. */
  readonly steps?: number;
  /** Whether orders are created before the reply, which is then a 201. Default: the seed says. */
  readonly creates?: boolean;
  /**
   * Whether a failing history is played again, up to 300 times, for a shorter one that fails too. Off where histories take
   * long, as over a real server: the failure then has the history as it was found. Default `true`.
   */
  readonly shrink?: boolean;
}

/** A back end under test with transactions of your own on its database: see {@link CreateBackend}. */
export interface TransactionalBackend<Tx> {
  /** The back end, whose transactions have the same handle. */
  readonly backend: Backend<Tx>;
  /** Your side of the database, which writes effects and tells which ones there are. */
  readonly transactions: UserTransactions<Tx>;
}

/**
 * Makes a fresh, empty back end whose stores go by this clock. If the back end shares its transactions, return them as
 * well: histories then work in transactions, submit in them and check every effect.
 */
export type CreateBackend = (
  clock: Clock,
) => Backend | TransactionalBackend<unknown> | Promise<Backend | TransactionalBackend<unknown>>;

/** Thrown by {@link simulate}: what was violated, and the shortest history found that does it, or the only one without `shrink`. */
export class SimulationFailure extends Error {
  /** The invariants that did not hold, each with what happened. */
  readonly violations: readonly string[];
  /** The shortest history that was found, line by line. */
  readonly trace: readonly string[];

  /** The message has the seed, the violations and the trace. */
  constructor(seed: number, { violations, trace }: History) {
    super([`seed ${seed}: ${violations.join("; ")}`, ...trace].join("\n"));
    this.name = "SimulationFailure";
    this.violations = violations;
    this.trace = trace;
  }
}

const MAX_CALM_STEPS = 5_000;
const LOOK_EVERY = 25;
/** Two of them race for the same operations. */
const OPERATORS = 2;

/**
 * Runs one history of clients, services, workers, sweepers and operators over a back end, with crashes, lost answers,
 * duplicate, late and lost deliveries and jumps of the clock at every call of a port, and checks that the contract holds.
 *
 * @throws SimulationFailure with the shortest failing history that was found
 */
export async function simulate(createBackend: CreateBackend, options: SimulationOptions): Promise<History> {
  const history = await play(createBackend, options, randomChoices(options.seed));
  if (history.violations.length === 0) return history;
  if (options.shrink === false) throw new SimulationFailure(options.seed, history);
  const replay = (choices: History["choices"]): Promise<History> =>
    play(createBackend, options, recordedChoices(choices));
  throw new SimulationFailure(options.seed, await shrink(history, replay));
}

async function play(
  createBackend: CreateBackend,
  options: SimulationOptions,
  choices: Choices,
): Promise<History> {
  const { faults = 6, clients = 3, workers = 2, apis = 2, steps = 250 } = options;
  const world = new World(choices, faults, () => ledger.violations.length > 0);
  const ledger: Ledger = new Ledger(() => world.now);
  const created = await createBackend(world.clockOf(new Process("store")));
  const { backend, transactions: users } = "backend" in created ? created : { backend: created };
  const transactions = new Transactions(world, ledger, users);
  let numbers = 0;
  const newId = (): string => `00000000-0000-7000-8000-${(++numbers).toString().padStart(12, "0")}`;
  const creates = options.creates ?? options.seed % 2 === 1;
  const stage: Stage = {
    world,
    ledger,
    backend,
    transactions,
    wakeups: new Set(),
    creates,
    nextNumber: () => ++numbers,
    newId,
    extras: new Extras(world, newId),
  };

  let over = false;
  const entrances = createEntrances(stage, apis);
  let talking = clients;
  for (let index = 1; index <= workers; index += 1) void keepWorker(stage, `worker-${index}`, () => over);
  const operators = backend.operations.redrive === undefined ? 0 : OPERATORS;
  for (let index = 1; index <= operators; index += 1)
    void runOperator(stage, `operator-${index}`, () => over);
  for (let index = 0; index < clients; index += 1) {
    // All clients but the first share a tenant.
    const caller = { name: `client-${index + 1}`, tenant: `tenant-${Math.min(index, 1) + 1}` };
    void runClient(stage, entrances, caller, () => over).then(() => (talking -= 1));
  }

  for (let step = 1; step <= steps && ledger.violations.length === 0; step += 1) {
    await world.step();
    if (step % LOOK_EVERY === 0) await readAll(stage);
  }
  if (ledger.violations.length === 0) world.note("all is calm from here on");
  world.calmDown();
  over = true;
  for (let step = 0; step < MAX_CALM_STEPS && ledger.violations.length === 0; step += 1) {
    await world.step();
    if (step % LOOK_EVERY === 0 && talking === 0 && (await isOver(stage))) break;
  }
  await judgeEnd(stage, talking);
  await transactions.endAll();
  await backend.close();
  // Copies: what is still under way may go on for a moment.
  return {
    violations: [...ledger.violations],
    trace: [...world.trace],
    choices: choices.made.map((step) => [...step]),
  };
}

async function isOver(stage: Stage): Promise<boolean> {
  await readAll(stage);
  return unfinished(stage.ledger.entries).length === 0 && stage.transactions.areEnded;
}

/** Looks into the store itself, so that a history ends soon after a fault. */
async function readAll({ backend, ledger, transactions }: Stage): Promise<void> {
  const kept = ledger.entries.where((entry) => !ledger.entries.isOver(entry));
  for (const { id, tenant } of kept.filter((entry) => !isHidden(entry)))
    ledger.readings.read(id, tenant, await backend.operations.get(id, tenant));
  await lookAt(kept.filter(isHidden), backend, ledger);
  await transactions.judge();
}

/** Reads operations that no client can see, if the store can. */
async function lookAt(hidden: readonly Entry[], { operations }: Backend, ledger: Ledger): Promise<void> {
  if (hidden.length === 0) return;
  const ids = hidden.map(({ id }) => id);
  const found = await operations.getMany?.(ids);
  if (found !== undefined) ledger.readings.found(ids, found);
}

async function judgeEnd(stage: Stage, talking: number): Promise<void> {
  const { ledger } = stage;
  if (ledger.violations.length > 0 || (await isOver(stage))) return;
  if (talking > 0) ledger.violated("I5", "a client was never answered");
  for (const { id, promised } of unfinished(ledger.entries)) {
    ledger.violated("I2", `${id} ${promised ? "was promised and " : ""}never ended`);
  }
}
