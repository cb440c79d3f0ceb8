import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/free-port.js";
import { collectLines } from "../support/lines.js";

/** A broker for one test file that can be stopped, killed and started again. */
export interface PrivateBroker {
  readonly port: number;
  /** Folder of its data and settings. */
  readonly folder: string;
  /** Starts the broker again after `stop` or `kill9`, with its data. */
  start(): Promise<void>;
  /** Shuts the broker down in order. */
  stop(): Promise<void>;
  /**
   * Restarts the broker in order, so that `kill9` loses no queue. RabbitMQ 3.10 registers a new queue on the disk a moment
   * after it has confirmed it, and never elects a leader for a queue that lost its registration.
   */
  settle(): Promise<void>;
  /** Kills all processes of the broker at once. */
  kill9(): Promise<void>;
  /** Kills the broker and removes its files. */
  remove(): Promise<void>;
}

/** A broker that is not ready by then has failed. Milliseconds. */
const START_MS = 120_000;

/** How to start a kind of broker. */
export interface BrokerProgram {
  readonly name: string;
  readonly command: string;
  /** Prepares the folder of the data and returns arguments and environment. */
  prepare(
    folder: string,
    port: number,
  ): Promise<{ readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }>;
  /** Matches the line of the output that says that clients can connect. */
  readonly ready: RegExp;
}

/** Starts a broker on a free loopback port, with its data in a temporary folder. */
export async function startPrivateBroker(program: BrokerProgram): Promise<PrivateBroker> {
  const folder = mkdtempSync(join(tmpdir(), `private-${program.name}-`));
  const port = await freePort();
  const { args, env = {} } = await program.prepare(folder, port);
  let running: ChildProcess | undefined;

  const removeNow = (): void => {
    if (running !== undefined) signalAll(running, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  // Cleans up even if a test never calls `remove`.
  process.once("exit", removeNow);

  async function start(): Promise<void> {
    // With its own group of processes, because some brokers start through a script.
    const started = spawn(program.command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running = started;
    const lines = [started.stdout, started.stderr].map((output: Readable) =>
      collectLines(output).find((line) => program.ready.test(line)),
    );
    const failed = new Promise<never>((_, reject) => started.once("error", reject));
    const late = sleep(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${program.name} is not ready after ${START_MS} ms.`);
    });
    await Promise.race([Promise.any(lines), failed, late]);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = running;
    running = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = once(ending, "exit");
    signalAll(ending, signal);
    await exited;
  }

  try {
    await start();
  } catch (error) {
    removeNow();
    throw error;
  }
  return {
    port,
    folder,
    start,
    stop: () => end("SIGTERM"),
    settle: async () => {
      await end("SIGTERM");
      await start();
    },
    kill9: () => end("SIGKILL"),
    remove: async () => {
      await end("SIGKILL");
      process.off("exit", removeNow);
      removeNow();
    },
  };
}

function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
