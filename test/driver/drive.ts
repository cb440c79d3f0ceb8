import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "async-request-reply/ports";
import { createRandom } from "../support/random.js";
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

export interface SceneOptions {
  readonly seed: number;
  /** How long processes act at random. Milliseconds. */
  readonly actMs: number;
  /** Mean time between two faults. Default: no faults. Milliseconds. */
  readonly faultEveryMs?: number;
  /** Number of processes. Default: 4. */
  readonly processes?: number;
  /** Whether processes listen for notifications. Default: true. */
  readonly listen?: boolean;
}

/** Time for everything to end when no process acts any more. Milliseconds. */
const DRAIN_MS = 120_000;
const LEASE_MS = 1_500;
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
/** When the monotonic clock of the machine, which all processes share, was 0. Epoch milliseconds. */
const clockOrigin = Date.now() - monotonicMs();
const now = (): number => clockOrigin + monotonicMs();

/** Lets processes act at random on a store, disturbs them, waits until everything has ended, and returns what happened. */
export async function playScene(
  stage: Stage,
  { seed, actMs, faultEveryMs, processes: count = 4, listen = true }: SceneOptions,
): Promise<History> {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "driver-"));
  const paths = [join(folder, "driver")];
  const note = (process: string, line: object): void =>
    appendFileSync(paths[0] as string, `${JSON.stringify({ at: now(), process, ...line })}\n`);
  note("driver", { what: "begins" });
  let started = 0;

  async function start(role: "worker" | "function"): Promise<Actor> {
    started += 1;
    const name = `p${started}`;
    const path = join(folder, name);
    const options = {
      name,
      url: stage.url,
      queueUrl: stage.queueUrl,
      ledger: path,
      seed: random.below(2 ** 31),
      role,
      listen,
      keys: 300,
      clockOrigin,
    };
    const child = fork(new URL("process.mjs", import.meta.url), [JSON.stringify(options)], {
      stdio: "inherit",
    });
    paths.push(path);
    const exited = once(child, "exit");
    const message = await Promise.race([once(child, "message"), exited]);
    if (message[0] !== "started") throw new Error(`process ${name} ended with ${message} before it started`);
    return { name, role, child, exited };
  }

  const actors: Actor[] = [];
  try {
    for (let index = 0; index < count; index += 1)
      actors.push(await start(index === 1 ? "function" : "worker"));
    const replace = async (index: number, end: (actor: Actor) => Promise<void>): Promise<void> => {
      const actor = actors[index] as Actor;
      await end(actor);
      actors[index] = await start(actor.role);
    };
    const faults: readonly (() => Promise<void>)[] = [
      () => replace(random.below(count), kill),
      () => replace(random.below(count), kill),
      () => replace(random.below(count), stop),
      () => freeze(random.pick(actors)),
      ...Object.values(stage.disturb).map((disturb) => async () => {
        const since = now();
        await disturb();
        note("driver", { what: "outage", since });
      }),
    ];
    const end = now() + actMs;
    while (now() < end) {
      const pauseMs = faultEveryMs === undefined ? actMs : random.below(2 * faultEveryMs);
      await sleep(Math.min(pauseMs, Math.max(0, end - now())));
      if (now() < end) await random.pick(faults)();
    }
    await Promise.all(actors.map(quiet));
    note("driver", { what: "quiet" });
    const { end: seen, operations } = await untilEnded();
    await Promise.all(actors.map(stop));
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    return { lines: readLedgers(paths), operations: byId, end: seen, leaseMs: LEASE_MS };
  } finally {
    for (const { child } of actors) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
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

interface Actor {
  readonly name: string;
  readonly role: "worker" | "function";
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** Lets a process only work. */
async function quiet({ child }: Actor): Promise<void> {
  const answered = once(child, "message");
  child.send("quiet");
  await answered;
}

async function stop({ child, exited }: Actor): Promise<void> {
  child.send("stop");
  await exited;
}
