import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "async-request-reply/ports";
import { expect } from "vitest";
import type { PrivateBroker } from "../brokers/private-broker.js";
import type { PrivatePostgres } from "../support/postgres/private-postgres.js";
import { createRandom, type Random } from "../support/random.js";
import type { OrderBench } from "./order-bench.js";
import type { OrderProcess, ProcessOptions, ResourceUse } from "./order-processes.js";
import { isTransient, newOrder, type OrderOperation, readOnce, type SentOrder, sendOnce } from "./orders.js";

export interface ChaosOptions {
  /** Determines the faults and the actions of clients. Their timing depends on the machine. */
  readonly seed: number;
  /** Number of orders after which the run ends. */
  readonly orders: number;
  /** Milliseconds after which the run ends, if that is earlier. Default: no limit. */
  readonly durationMs?: number;
  /** Number of concurrent clients. Default: 32. */
  readonly clients?: number;
  /** Commits effects in the transaction that completes the operation, so that none is repeated. Default: false. */
  readonly transactional?: boolean;
  /** Mean pause between two faults, in milliseconds. Default: 700. */
  readonly pauseMs?: number;
  /** Limits and lanes of all processes. Default: none. */
  readonly places?: { readonly running: number; readonly lanes: number };
}

/** The outcome of a run. */
export interface ChaosReport {
  readonly sent: readonly SentOrder[];
  /** Number of occurrences of each fault. */
  readonly faults: Readonly<Record<string, number>>;
  /** Regular measurements of one process that is never killed. It serves requests and runs work. */
  readonly measurements: readonly ResourceUse[];
  /** Warnings of Node in that process. */
  readonly warnings: readonly string[];
  /** The highest number of operations that attempts held at once, if there is a limit. */
  readonly mostHeld: number;
}

const MEASURE_EVERY_MS = 10_000;

/** Time for all operations to end. A broker loses announcements, and the sweep repeats them after minutes. Milliseconds. */
const TERMINAL_MS = 120_000;
const TERMINAL_WITH_BROKER_MS = 900_000;

/** The bench of a run. Without Postgres, another process locks the store instead. A broker is killed and stopped too. */
export type ChaosBench = OrderBench & {
  readonly postgres?: PrivatePostgres;
  readonly broker?: PrivateBroker;
};

/**
 * Lets clients send orders, with retries and duplicates, while processes and Postgres are killed, stopped and paused.
 * Then waits until every operation is terminal and checks the invariants.
 */
export async function runChaos(bench: ChaosBench, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, orders, durationMs = Number.POSITIVE_INFINITY, clients = 32, pauseMs = 700 } = options;
  const { transactional = false, places } = options;
  const definition = { transactional, ...(places && placesOf(places)) };
  const random = createRandom(seed);
  const end = performance.now() + durationMs;
  const steady = await bench.start({ role: "all", ...definition });
  const sent: SentOrder[] = [];
  const fleet = await createFleet(bench, random, { definition, sent });
  const accepted = new Map<string, Acceptance>();
  const seenTerminal = new Map<string, OrderOperation>();
  let next = 0;
  let busy = true;

  async function client(): Promise<void> {
    while (next < orders && performance.now() < end) {
      const number = ++next;
      const order = newOrder(`order-${number}`);
      sent.push(order);
      const sentAt = performance.now();
      await sendUntilAccepted(order, () => random.pick([steady, ...fleet.apis]).baseUrl, random);
      accepted.set(order.key, { number, sentAt, acceptedAt: performance.now() });
      const [id = ""] = order.operationIds;
      const seen = await readOnce(id, steady.baseUrl);
      if (typeof seen !== "number" && seen.status !== "pending") seenTerminal.set(id, seen);
    }
  }

  async function injectFaults(): Promise<void> {
    while (busy) {
      await sleep(random.below(2 * pauseMs));
      await fleet.injectFault();
    }
  }

  const measurements: ResourceUse[] = [];
  const measureRegularly = async (): Promise<void> => {
    while (busy) {
      measurements.push(await steady.measure());
      await sleep(Math.min(MEASURE_EVERY_MS, Math.max(0, end - performance.now()) + 500));
    }
  };

  let mostHeld = 0;
  const countHeld = async (): Promise<void> => {
    while (busy && places !== undefined) {
      // The store may be down.
      mostHeld = Math.max(mostHeld, await bench.held().catch(() => 0));
      await sleep(10);
    }
  };

  const background = Promise.all([injectFaults(), measureRegularly(), countHeld()]);
  await Promise.all(Array.from({ length: clients }, client));
  busy = false;
  await background;
  await bench.untilTerminal(bench.broker === undefined ? TERMINAL_MS : TERMINAL_WITH_BROKER_MS);
  expect(fleet.crashes, "exit codes of processes that crashed").toEqual([]);
  await bench.expectInvariants(sent);
  if (transactional) expect(await bench.effects(), "effects").toHaveLength(sent.length);
  if (places !== undefined) expectLanesInOrder(places.lanes, accepted, await bench.operations());
  // A terminal state that a client has seen never changes.
  for (const [id, before] of seenTerminal) expect(await readOnce(id, steady.baseUrl)).toEqual(before);
  return { sent, faults: fleet.faults, measurements, warnings: steady.warnings, mostHeld };
}

function placesOf({ running, lanes }: NonNullable<ChaosOptions["places"]>): StartOptions {
  return { definition: { limits: { running } }, lanes };
}

/** When an order was sent for the first time, and when a client had its 202. */
interface Acceptance {
  readonly number: number;
  readonly sentAt: number;
  readonly acceptedAt: number;
}

/** Checks that of two orders of a lane, the one that was accepted before the other was sent ended first. */
function expectLanesInOrder(
  lanes: number,
  accepted: ReadonlyMap<string, Acceptance>,
  operations: readonly Operation[],
): void {
  const ended = operations.flatMap(({ key = "", settledAt = 0 }) => {
    const times = accepted.get(key);
    return times === undefined ? [] : { ...times, key, settledAt };
  });
  const wrong: string[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const own = ended.filter(({ number }) => number % lanes === lane);
    for (const first of own)
      for (const second of own)
        if (first.acceptedAt < second.sentAt && first.settledAt > second.settledAt)
          wrong.push(`${second.key} ended before ${first.key}`);
  }
  expect(wrong, "orders that ended before an earlier one of their lane").toEqual([]);
}

/** Sends an order until it is accepted. Sometimes sends copies at the same time, or once more at the end. */
async function sendUntilAccepted(order: SentOrder, chooseUrl: () => string, random: Random): Promise<void> {
  for (;;) {
    const copies = random.below(10) < 2 ? 3 : 1;
    const statuses = await Promise.all(Array.from({ length: copies }, () => sendOnce(order, chooseUrl())));
    const unexpected = statuses.filter((status) => status !== 202 && !isTransient(status));
    if (unexpected.length > 0) throw new Error(`${order.key} was answered with ${unexpected}`);
    if (statuses.includes(202)) break;
    await sleep(50 + random.below(200));
  }
  if (random.below(10) < 2) await sendOnce(order, chooseUrl());
}

/** Options of all processes of a run. */
type StartOptions = Pick<ProcessOptions, "transactional" | "definition" | "lanes">;

type Fault = readonly [name: string, inject: () => Promise<void>];

interface Fleet {
  readonly apis: readonly OrderProcess[];
  readonly faults: Readonly<Record<string, number>>;
  /** Exit codes of processes that ended without being killed or stopped. */
  readonly crashes: readonly number[];
  injectFault(): Promise<void>;
}

/** Starts processes that can be killed and replaced, beside a Postgres, if there is one, that can be killed and restarted. */
async function createFleet(
  { start, lock, publish, postgres, broker }: ChaosBench,
  random: Random,
  { definition, sent }: { readonly definition: StartOptions; readonly sent: readonly SentOrder[] },
): Promise<Fleet> {
  const crashes: number[] = [];
  const startOne = async (role: "api" | "worker"): Promise<OrderProcess> => {
    const started = await start({ role, ...definition });
    // A process that was killed has no exit code.
    void started.exited.then((code) => code !== null && code !== 0 && crashes.push(code));
    return started;
  };
  const apis = [await startOne("api"), await startOne("api")];
  const workers = [await startOne("worker"), await startOne("worker")];
  const faults: Record<string, number> = {};

  const replace = (role: "api" | "worker", signal: "SIGKILL" | "SIGTERM") => async (): Promise<void> => {
    const group = role === "api" ? apis : workers;
    const index = random.below(group.length);
    group[index]?.kill(signal);
    group[index] = await startOne(role);
  };
  const pause = async (): Promise<void> => {
    const worker = random.pick(workers);
    worker.kill("SIGSTOP");
    // Longer than its lease.
    await sleep(2_000);
    worker.kill("SIGCONT");
  };
  const lockFor = async (): Promise<void> => {
    const unlock = await lock();
    await sleep(random.below(2_000));
    await unlock();
  };
  /** Publishes announcements of some orders again, in no order, most of which have ended. */
  const repeat = async (): Promise<void> => {
    const ids = Array.from({ length: 50 }, () => random.pick(sent)).flatMap(({ operationIds }) => [
      ...operationIds,
    ]);
    const suffix = `again-${random.below(1e9)}`;
    await publish(
      ids.map((id) => ({ version: 1, id: `${id}.${suffix}`, operationId: id, definition: "orders" })),
    );
  };
  const kinds: readonly Fault[] = [
    ["api killed", replace("api", "SIGKILL")],
    ["api stopped", replace("api", "SIGTERM")],
    ["worker killed", replace("worker", "SIGKILL")],
    ["worker stopped", replace("worker", "SIGTERM")],
    ["worker paused", pause],
    ...(postgres === undefined ? [["store locked", lockFor] as const] : faultsOf(postgres, random)),
    ...(broker === undefined
      ? []
      : [["messages repeated", repeat] as const, ...faultsOfBroker(broker, random)]),
  ];
  return {
    apis,
    faults,
    crashes,
    injectFault: async () => {
      const [name, fault] = random.pick(kinds);
      faults[name] = (faults[name] ?? 0) + 1;
      await fault();
    },
  };
}

function faultsOfBroker(broker: PrivateBroker, random: Random): readonly Fault[] {
  const restart = (stop: () => Promise<void>) => async (): Promise<void> => {
    await stop();
    await sleep(random.below(2_000));
    await broker.start();
  };
  return [
    ["broker killed", restart(broker.kill9)],
    ["broker shut down cleanly", restart(broker.stop)],
  ];
}

function faultsOf(postgres: PrivatePostgres, random: Random): readonly Fault[] {
  const restart = (stop: () => Promise<void>) => async (): Promise<void> => {
    await stop();
    await sleep(random.below(500));
    await postgres.start();
  };
  return [
    ["postgres killed", restart(postgres.kill9)],
    ["postgres stopped immediately", restart(() => postgres.stop("immediate"))],
    ["postgres shut down cleanly", restart(() => postgres.stop("fast"))],
  ];
}
