import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "async-request-reply/ports";
import { createRandom } from "../support/random.js";
import { type Actor, type Build, quiet, type Role, startActor, stop } from "./actors.js";
import { idleIn } from "./check-steps.js";
import type { History } from "./history.js";
import { readLedgers } from "./ledger.js";

/** The store of a scene. */
export interface Stage {
  readonly url: string;
  /** URL of a broker. Default: the queue of the store. */
  readonly queueUrl?: string;
  /** Disturbances of the store, by name. Each one resolves when it is over. */
  readonly disturb: Readonly<Record<string, () => Promise<void>>>;
  operations(): Promise<readonly Operation[]>;
}

/** A part of a scene. */
export interface Step {
  /** The build of each process. Those of another build are replaced at the beginning, one after the other. */
  readonly builds: readonly Build[];
  /** How long all of these processes act at random, at least: each build records and begins something. Milliseconds. */
  readonly actMs: number;
}

export interface SceneOptions {
  readonly seed: number;
  /** All steps have the same number of processes. */
  readonly steps: readonly Step[];
  /** Mean time between two faults. Default: no faults. Milliseconds. */
  readonly faultEveryMs?: number;
  /** Whether processes listen for notifications. Default: true. */
  readonly listen?: boolean;
}

/** Time for everything to end when no process acts any more. Milliseconds. */
const DRAIN_MS = 120_000;
/** Time for each build to act. Milliseconds. */
const IDLE_MS = 60_000;
const LEASE_MS = 1_500;
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
/** When the monotonic clock of the machine, which all processes share, was 0. Epoch milliseconds. */
const clockOrigin = Date.now() - monotonicMs();
const now = (): number => clockOrigin + monotonicMs();

/** Lets processes act at random on a store, disturbs them, waits until everything has ended, and returns what happened. */
export async function playScene(
  stage: Stage,
  { seed, steps, faultEveryMs, listen = true }: SceneOptions,
): Promise<History> {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "driver-"));
  const paths = [join(folder, "driver")];
  const note = (process: string, line: object): void =>
    appendFileSync(paths[0] as string, `${JSON.stringify({ at: now(), process, ...line })}\n`);
  note("driver", { what: "begins" });
  let started = 0;

  async function start(role: Role, build: Build): Promise<Actor> {
    started += 1;
    const name = `${build.name}${started}`;
    const ledger = join(folder, name);
    const { url, queueUrl } = stage;
    const options = { name, role, url, queueUrl, ledger, seed: random.below(2 ** 31), listen };
    const actor = await startActor(build, { ...options, keys: 300, clockOrigin });
    paths.push(ledger);
    return actor;
  }

  const actors: Actor[] = [];
  const faults: readonly (() => Promise<void>)[] = [
    () => replace(random.pick(actors), kill),
    () => replace(random.pick(actors), kill),
    () => replace(random.pick(actors), stop),
    () => freeze(random.pick(actors)),
    ...Object.values(stage.disturb).map((disturb) => async () => {
      const since = now();
      await disturb();
      note("driver", { what: "outage", since });
    }),
  ];
  try {
    for (const { builds, actMs } of steps) {
      const names = builds.map(({ name }) => name);
      const since = now();
      note("driver", { what: "step", builds: names });
      for (const [index, build] of builds.entries()) await deploy(index, build);
      await actFor(actMs);
      await untilNoneIdle(names, since);
    }
    await Promise.all(actors.map(quiet));
    note("driver", { what: "quiet" });
    const { end, operations } = await untilEnded();
    await Promise.all(actors.map(stop));
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    return { lines: readLedgers(paths), operations: byId, end, leaseMs: LEASE_MS };
  } finally {
    for (const { child } of actors) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }

  /** Lets a process use a build. In a scene with faults, its predecessor is killed in half of the cases. */
  async function deploy(index: number, build: Build): Promise<void> {
    const actor = actors[index];
    if (actor === undefined) actors.push(await start(index === 1 ? "function" : "worker", build));
    else if (actor.build !== build)
      await replace(actor, faultEveryMs === undefined ? stop : random.pick([stop, kill]), build);
  }

  async function replace(
    actor: Actor,
    end: (actor: Actor) => Promise<void>,
    build: Build = actor.build,
  ): Promise<void> {
    await end(actor);
    actors[actors.indexOf(actor)] = await start(actor.role, build);
  }

  /** Lets processes act for a while, and disturbs them in a scene with faults. */
  async function actFor(ms: number): Promise<void> {
    if (faultEveryMs === undefined) return sleep(ms);
    const end = now() + ms;
    while (now() < end) {
      await sleep(Math.min(random.below(2 * faultEveryMs), Math.max(0, end - now())));
      if (now() < end) await random.pick(faults)();
    }
  }

  /** On a busy machine, a process takes longer to begin. */
  async function untilNoneIdle(builds: readonly string[], since: number): Promise<void> {
    const latest = now() + IDLE_MS;
    while (
      idleIn(
        readLedgers(paths).filter(({ at }) => at >= since),
        builds,
      ).length > 0 &&
      now() < latest
    )
      await sleep(500);
  }

  async function kill({ name, child, exited }: Actor): Promise<void> {
    child.kill("SIGKILL");
    note(name, { what: "killed" });
    await exited;
  }

  /** Freezes a process for longer than its leases. */
  async function freeze({ name, child }: Actor): Promise<void> {
    note(name, { what: "frozen" });
    child.kill("SIGSTOP");
    await sleep(LEASE_MS + random.below(2_000));
    child.kill("SIGCONT");
    note(name, { what: "thawed" });
  }

  async function untilEnded(): Promise<{ readonly end: number; readonly operations: readonly Operation[] }> {
    const latest = now() + DRAIN_MS;
    for (;;) {
      const end = now();
      const operations = await stage.operations();
      const open = operations.filter(({ state }) => state !== "completed" && state !== "failed");
      if (open.length === 0 || end > latest) return { end, operations };
      await sleep(500);
    }
  }
}
