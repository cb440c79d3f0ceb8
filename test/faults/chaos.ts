import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "async-request-reply/ports";
import { expect } from "vitest";
import type { PrivateBroker } from "../brokers/private-broker.js";
import type { PrivatePostgres } from "../support/postgres/private-postgres.js";
import { createRandom, type Random } from "../support/random.js";
import type { OrderBench } from "./order-bench.js";
import type { OrderProcess, ProcessOptions, ResourceUse } from "./order-processes.js";
import {
  idsOf,
  isTransient,
  newOrder,
  type OrderOperation,
  readOnce,
  type SentOrder,
  sendOnce,
} from "./orders.js";

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
export async function runChaos(bench: ChaosBench, options: ChaosOptions) {
  const { seed, orders, durationMs = Number.POSITIVE_INFINITY, clients = 32, pauseMs = 700 } = options;
  const { transactional = false, places } = options;
  const limits = places && { definition: { limits: { running: places.running } }, lanes: places.lanes };
  const common = { transactional, ...limits };
  const random = createRandom(seed);
  const end = performance.now() + durationMs;
  const steady = await bench.start({ role: "all", ...common });
  const sent: SentOrder[] = [];
  const fleet = await createFleet(bench, random, common, sent);
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

  /** Regular measurements of one process that is never killed. It serves requests and runs work. */
  const measurements: ResourceUse[] = [];
  const measureRegularly = async (): Promise<void> => {
    while (busy) {
      measurements.push(await steady.measure());
      await sleep(Math.min(MEASURE_EVERY_MS, Math.max(0, end - performance.now()) + 500));
    }
  };

  /** The highest number of operations that attempts held at once, if there is a limit. */
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
  await bench.expectCompleted(sent);
  if (transactional) expect(await bench.effects(), "effects").toHaveLength(sent.length);
  if (places !== undefined) expectLanesInOrder(places.lanes, accepted, await bench.operations());
  // A terminal state that a client has seen never changes.
  for (const [id, before] of seenTerminal) expect(await readOnce(id, steady.baseUrl)).toEqual(before);
  return { sent, faults: fleet.faults, measurements, warnings: steady.warnings, mostHeld };
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

type Fault = readonly [name: string, inject: () => Promise<void>];

/** Starts processes that can be killed and replaced, beside a Postgres, if there is one, that can be killed and restarted. */
async function createFleet(
  { start, lock, publish, postgres, broker }: ChaosBench,
  random: Random,
  options: Omit<ProcessOptions, "role" | "url">,
  sent: readonly SentOrder[],
) {
  /** Exit codes of processes that ended without being killed or stopped. */
  const crashes: number[] = [];
  const startOne = async (role: "api" | "worker"): Promise<OrderProcess> => {
    const started = await start({ role, ...options });
    // A process that was killed has no exit code.
    void started.exited.then((code) => code !== null && code !== 0 && crashes.push(code));
    return started;
  };
  const apis = [await startOne("api"), await startOne("api")];
  const workers = [await startOne("worker"), await startOne("worker")];
  /** Number of occurrences of each fault. */
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
    const ids = idsOf(...Array.from({ length: 50 }, () => random.pick(sent)));
    await publish(ids.map((operationId) => ({ operationId, definition: "orders" })));
  };
  const restart = (stop: () => Promise<void>, begin: () => Promise<void>, downMs: number) => async () => {
    await stop();
    await sleep(random.below(downMs));
    await begin();
  };
  const kinds: readonly Fault[] = [
    ["api killed", replace("api", "SIGKILL")],
    ["api stopped", replace("api", "SIGTERM")],
    ["worker killed", replace("worker", "SIGKILL")],
    ["worker stopped", replace("worker", "SIGTERM")],
    ["worker paused", pause],
    ...ifAny(postgres, ({ start, kill9, stop }) => [
      ["postgres killed", restart(kill9, start, 500)],
      ["postgres stopped immediately", restart(() => stop("immediate"), start, 500)],
      ["postgres shut down cleanly", restart(() => stop("fast"), start, 500)],
    ]),
    ...(postgres === undefined ? [["store locked", lockFor] as const] : []),
    ...ifAny(broker, ({ start, kill9, stop }) => [
      ["messages repeated", repeat],
      ["broker killed", restart(kill9, start, 2_000)],
      ["broker shut down cleanly", restart(stop, start, 2_000)],
    ]),
  ];
  return {
    apis,
    faults,
    crashes,
    injectFault: async (): Promise<void> => {
      const [name, fault] = random.pick(kinds);
      faults[name] = (faults[name] ?? 0) + 1;
      await fault();
    },
  };
}

function ifAny<Server>(
  server: Server | undefined,
  faultsOf: (server: Server) => readonly Fault[],
): readonly Fault[] {
  return server === undefined ? [] : faultsOf(server);
}
