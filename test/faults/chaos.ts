import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { FaultBench } from "./fault-bench.js";
import type { OrderProcess, Weight } from "./order-processes.js";
import { isTransient, newOrder, type OrderOperation, readOnce, type SentOrder, sendOnce } from "./orders.js";
import { createRandom, type Random } from "./random.js";

export interface ChaosOptions {
  /** Chooses what breaks and what clients do. When it happens is up to the machine. */
  readonly seed: number;
  /** Ends it after so many orders. */
  readonly orders: number;
  /** Ends it after so long, if that is earlier. Default never. */
  readonly lastsMs?: number;
  readonly clients?: number;
  /** Whether the work commits its effect together with its end. Then no effect is ever repeated. */
  readonly transactional?: boolean;
  /** The mean pause between two faults. Default 700. */
  readonly pauseMs?: number;
}

/** What a run of it came to. */
export interface ChaosReport {
  readonly sent: readonly SentOrder[];
  /** How often each fault was done. */
  readonly faults: Readonly<Record<string, number>>;
  /** Of one process that serves and works and is never killed itself, at intervals. */
  readonly weights: readonly Weight[];
  /** What Node warned of in that process. */
  readonly warnings: readonly string[];
}

const WEIGH_EVERY_MS = 10_000;

/**
 * Lets clients send orders, repeat and double them, while processes and Postgres are killed, stopped and paused; then waits
 * until all is done and checks that every promise was kept.
 */
export async function runChaos(bench: FaultBench, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, orders, lastsMs = Number.POSITIVE_INFINITY, clients = 32, pauseMs = 700 } = options;
  const { transactional = false } = options;
  const random = createRandom(seed);
  const end = performance.now() + lastsMs;
  const steady = await bench.start({ role: "all", transactional });
  const crew = await createCrew(bench, random, transactional);
  const sent: SentOrder[] = [];
  const ended = new Map<string, OrderOperation>();
  let next = 0;
  let busy = true;

  async function client(): Promise<void> {
    while (next < orders && performance.now() < end) {
      const order = newOrder(`order-${++next}`);
      sent.push(order);
      await insist(order, () => random.pick([steady, ...crew.apis]).baseUrl, random);
      const [id = ""] = order.operationIds;
      const seen = await readOnce(id, steady.baseUrl);
      if (typeof seen !== "number" && seen.status !== "pending") ended.set(id, seen);
    }
  }

  async function sabotage(): Promise<void> {
    while (busy) {
      await sleep(random.below(2 * pauseMs));
      await crew.breakSomething();
    }
  }

  const weights: Weight[] = [];
  const weigh = async (): Promise<void> => {
    while (busy) {
      weights.push(await steady.weigh());
      await sleep(Math.min(WEIGH_EVERY_MS, Math.max(0, end - performance.now()) + 500));
    }
  };

  const breaking = Promise.all([sabotage(), weigh()]);
  await Promise.all(Array.from({ length: clients }, client));
  busy = false;
  await breaking;
  await bench.settled(120_000);
  expect(crew.crashes, "processes that ended by themselves").toEqual([]);
  await bench.expectInvariants(sent);
  if (transactional) expect(await bench.effects(), "effects").toHaveLength(sent.length);
  // What a client has seen as ended is ended in the same way for ever.
  for (const [id, before] of ended) expect(await readOnce(id, steady.baseUrl)).toEqual(before);
  return { sent, faults: crew.faults, weights, warnings: steady.warnings };
}

/** Sends an order until it is accepted, sometimes several times at once and sometimes once more. */
async function insist(order: SentOrder, chooseUrl: () => string, random: Random): Promise<void> {
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

interface Crew {
  readonly apis: readonly OrderProcess[];
  readonly faults: Readonly<Record<string, number>>;
  /** The exit codes of processes that ended by themselves, which none should. */
  readonly crashes: readonly number[];
  breakSomething(): Promise<void>;
}

/** Processes that are killed and replaced, and a Postgres that is killed and started again. */
async function createCrew(
  { start, postgres }: FaultBench,
  random: Random,
  transactional: boolean,
): Promise<Crew> {
  const crashes: number[] = [];
  const hire = async (role: "api" | "worker"): Promise<OrderProcess> => {
    const hired = await start({ role, transactional });
    // Without a code it was killed.
    void hired.exited.then((code) => code !== null && code !== 0 && crashes.push(code));
    return hired;
  };
  const apis = [await hire("api"), await hire("api")];
  const workers = [await hire("worker"), await hire("worker")];
  const faults: Record<string, number> = {};

  const replace = (role: "api" | "worker", signal: "SIGKILL" | "SIGTERM") => async (): Promise<void> => {
    const team = role === "api" ? apis : workers;
    const index = random.below(team.length);
    team[index]?.kill(signal);
    team[index] = await hire(role);
  };
  const pause = async (): Promise<void> => {
    const worker = random.pick(workers);
    worker.kill("SIGSTOP");
    // Past its lease.
    await sleep(2_000);
    worker.kill("SIGCONT");
  };
  const restart = (stop: () => Promise<void>) => async (): Promise<void> => {
    await stop();
    await sleep(random.below(500));
    await postgres.start();
  };
  const kinds: readonly (readonly [string, () => Promise<void>])[] = [
    ["api killed", replace("api", "SIGKILL")],
    ["api stopped", replace("api", "SIGTERM")],
    ["worker killed", replace("worker", "SIGKILL")],
    ["worker stopped", replace("worker", "SIGTERM")],
    ["worker paused", pause],
    ["postgres killed", restart(postgres.kill9)],
    ["postgres stopped at once", restart(() => postgres.stop("immediate"))],
    ["postgres stopped in good order", restart(() => postgres.stop("fast"))],
  ];
  return {
    apis,
    faults,
    crashes,
    breakSomething: async () => {
      const [name, fault] = random.pick(kinds);
      faults[name] = (faults[name] ?? 0) + 1;
      await fault();
    },
  };
}
