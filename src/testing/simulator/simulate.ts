import type { Backend, SeparateStores } from "../../ports/backend.js";
import type { Clock } from "../../ports/runtime.js";
import type { Sync } from "../../ports/synchronous.js";
import { createApis, keepWorker } from "./actors/actors.js";
import { runClient } from "./actors/clients.js";
import { Extras } from "./actors/extras.js";
import { resumeAll, runOperator } from "./actors/operator.js";
import { ordersWith } from "./actors/orders.js";
import { runReader } from "./actors/readers.js";
import { awaitEnds } from "./actors/waiters.js";
import { type Choices, randomChoices, recordedChoices } from "./choices.js";
import { Ledger } from "./ledger/ledger.js";
import { unfinished } from "./ledger/readings.js";
import { SynchronousTransactions, type SynchronousUserTransactions } from "./ports/synchronous.js";
import { Transactions, type UserTransactions } from "./ports/transactions.js";
import { DEFINITIONS, readAll } from "./read-all.js";
import type { Stage } from "./stage.js";
import type { History } from "./world/history.js";
import { Process } from "./world/process.js";
import { shrink } from "./world/shrink.js";
import { World } from "./world/world.js";

/** Options of {@link simulate}. Higher numbers find more faults and take longer. */
export interface SimulationOptions {
  /** Seed of the history. The same seed produces the same history if the back end is deterministic. */
  readonly seed: number;
  /** Maximum number of faults: crashes, lost answers, and calls that fail, arrive late or arrive twice. Default: 6. */
  readonly faults?: number;
  /**
   * Number of clients, which submit, poll and wait. All clients except the first share a tenant. All use the same few keys,
   * so that duplicates are common. Default: 3.
   */
  readonly clients?: number;
  /** Number of workers. Default: 2. */
  readonly workers?: number;
  /** Number of processes that accept requests. Default: 2. */
  readonly apis?: number;
  /** Number of steps with faults. Then the history continues without faults until all work has ended. Default: 250. */
  readonly steps?: number;
  /** Whether orders are created before the reply, which is then a 201. Default: `true` if the seed is odd. */
  readonly creates?: boolean;
  /** Whether the ends of operations are announced with webhooks. Default: `true` for every second block of 8 seeds. */
  readonly webhooks?: boolean;
  /**
   * Whether orders write output and save checkpoints, which clients read. Default: `true` for every fourth pair of seeds if the
   * back end has `output`.
   */
  readonly output?: boolean;
  /**
   * Whether processes count by minute. Histories then check the sums. Default: `true` for every second block of 1,024 seeds if the
   * back end has `minutes`.
   */
  readonly counts?: boolean;
  /**
   * Whether claims begin attempts by urgency and by turns of the tenants. Histories then check that. Default: `false`.
   */
  readonly turns?: boolean;
  /**
   * Whether to replay a failing history, up to 300 times, to find a shorter one that fails too. Pass `false` if
   * histories are slow, for example on a real server. The failure then has the history as it was found. Default:
   * `true`.
   */
  readonly shrink?: boolean;
}

/** A back end under test, with your transactions on its database: see {@link CreateBackend}. */
export interface TransactionalBackend<Tx> {
  /** The back end. Its transactions have handles of the same type. */
  readonly backend: Backend<Tx>;
  /** Your side of the database, which writes effects and lists the committed ones. */
  readonly transactions: UserTransactions<Tx>;
}

/** A back end under test, with your synchronous transactions on its database: see {@link CreateBackend}. */
export interface SynchronousBackend<Handle> {
  /** The back end. Its transactions have handles of the same type. */
  readonly backend: Backend<Sync<Handle>>;
  /** Your side of the database, which writes effects and lists the committed ones. */
  readonly synchronous: SynchronousUserTransactions<Handle>;
}

/** Everything that {@link CreateBackend} can return. */
export type SimulatedBackend =
  | Backend
  | SeparateStores
  | TransactionalBackend<unknown>
  | SynchronousBackend<unknown>;

/**
 * Creates an empty back end whose stores use this clock. If the back end shares its transactions, return them too.
 * Histories then work and submit in transactions, and check every effect.
 */
export type CreateBackend = (clock: Clock) => SimulatedBackend | Promise<SimulatedBackend>;

/** Thrown by {@link simulate} if a history violates an invariant. */
export class SimulationFailure extends Error {
  /** The violated invariants, each with what happened. */
  readonly violations: readonly string[];
  /** The shortest failing history that was found, line by line. With `shrink: false`, the history as it was found. */
  readonly trace: readonly string[];

  /** Creates an error whose message has the seed, the violations and the trace. */
  constructor(seed: number, { violations, trace }: History) {
    super([`seed ${seed}: ${violations.join("; ")}`, ...trace].join("\n"));
    this.name = "SimulationFailure";
    this.violations = violations;
    this.trace = trace;
  }
}

const MAX_STEPS_WITHOUT_FAULTS = 5_000;
/** Number of steps between two readings of all operations. */
const READ_EVERY = 25;
/** Two operators race for the same operations. */
const OPERATORS = 2;
/** Number of readers of outputs, one for each tenant. */
const READERS = 2;
/** Time within which processes have written what they have counted. Milliseconds. */
const COUNTED_MS = 30_000;
const DAY_MS = 86_400_000;

/**
 * Runs one history of clients, services, workers, sweepers and operators on a back end, and checks that the contract
 * holds. At every call of a port, processes can crash, answers can get lost, and calls can fail, arrive late or arrive
 * twice. The clock can jump at any time.
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
  const { faults = 6, clients = 3, workers = 2, apis: apiCount = 2, steps = 250 } = options;
  const world = new World(choices, faults, () => ledger.violations.length > 0);
  const created = await createBackend(world.clockOf(new Process("store")));
  const backend = "backend" in created ? created.backend : created;
  const output = (options.output ?? (options.seed >> 1) % 4 === 3) ? backend.output : undefined;
  const minutes = (options.counts ?? (options.seed >> 10) % 2 === 1) ? backend.minutes : undefined;
  const users = "transactions" in created ? created.transactions : undefined;
  const ledger: Ledger = new Ledger(() => world.now, {
    locks: users !== undefined,
    keepsPlaces: backend.operations.keeps.includes("limits"),
    takesTurns: options.turns === true,
    hasOutput: output !== undefined,
  });
  const transactions = new Transactions(world, ledger, users);
  const synchronous =
    "synchronous" in created ? new SynchronousTransactions(world, ledger, created.synchronous) : undefined;
  let numbers = 0;
  const newId = (): string => `00000000-0000-7000-8000-${(++numbers).toString().padStart(12, "0")}`;
  const creates = options.creates ?? options.seed % 2 === 1;
  const stage: Stage = {
    world,
    ledger,
    backend,
    output,
    minutes,
    transactions,
    synchronous,
    hearings: new Set(),
    creates,
    orders: ordersWith({ backlog: (options.seed >> 4) % 2 === 1, output: output !== undefined }),
    webhooks: options.webhooks ?? (options.seed >> 3) % 2 === 1,
    nextNumber: () => ++numbers,
    newId,
    extras: new Extras(world, newId, backend.operations.keeps.includes("deadlines")),
  };

  let over = false;
  const apis = createApis(stage, apiCount);
  let activeClients = clients;
  for (let index = 1; index <= workers; index += 1) void keepWorker(stage, `worker-${index}`, () => over);
  for (let index = 1; index <= OPERATORS; index += 1)
    void runOperator(stage, `operator-${index}`, () => over);
  for (let index = 0; index < clients; index += 1) {
    const caller = { name: `client-${index + 1}`, tenant: tenantOf(index) };
    void runClient(stage, apis, caller, () => over).then(() => (activeClients -= 1));
  }
  for (let index = 0; output !== undefined && index < READERS; index += 1) {
    const caller = { name: `reader-${index + 1}`, tenant: tenantOf(index) };
    activeClients += 1;
    void runReader(stage, apis, caller, () => over).then(() => (activeClients -= 1));
  }

  for (let step = 1; step <= steps && ledger.violations.length === 0; step += 1) {
    await world.step();
    if (step % READ_EVERY === 0) await readAll(stage);
  }
  if (ledger.violations.length === 0) world.note("no more faults from here on");
  world.stopFaults();
  over = true;
  activeClients += 1;
  void resumeAll(stage);
  void awaitEnds(stage, apis).then(() => (activeClients -= 1));
  for (let step = 0; step < MAX_STEPS_WITHOUT_FAULTS && ledger.violations.length === 0; step += 1) {
    await world.step();
    ledger.conservation.judge(stage.hearings);
    if (step % READ_EVERY === 0 && activeClients === 0 && (await isOver(stage))) break;
  }
  await judgeEnd(stage, activeClients);
  await judgeCounts(stage);
  await transactions.endAll();
  await backend.close?.();
  // Copies, because calls that are still under way may add to the originals.
  return {
    violations: [...ledger.violations],
    trace: [...world.trace],
    choices: choices.made.map((step) => [...step]),
  };
}

function tenantOf(index: number): string {
  return `tenant-${Math.min(index, 1) + 1}`;
}

async function isOver(stage: Stage): Promise<boolean> {
  await readAll(stage);
  return unfinished(stage.ledger.entries).length === 0 && stage.transactions.areEnded;
}

async function judgeEnd(stage: Stage, activeClients: number): Promise<void> {
  const { ledger } = stage;
  if (ledger.violations.length > 0 || (await isOver(stage))) return;
  if (activeClients > 0) ledger.violated("I5", "a client never got a final reply");
  for (const { id, promised } of unfinished(ledger.entries)) {
    ledger.violated("I2", `${id} ${promised ? "was promised but " : ""}never ended`);
  }
}

/** Lets the living processes write what they have counted, and checks the sums. */
async function judgeCounts({ world, ledger, minutes }: Stage): Promise<void> {
  if (minutes === undefined || ledger.violations.length > 0) return;
  const until = world.now + COUNTED_MS;
  while (world.now < until) await world.step();
  const range = { from: 0, to: until + DAY_MS, stepMs: until + DAY_MS };
  for (const name of DEFINITIONS)
    ledger.work.read(name, await minutes.read({ ...range, definitions: [name] }), world.isCalm);
}
