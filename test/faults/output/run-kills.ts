import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "async-request-reply/client";
import { expect, onTestFinished, vi } from "vitest";
import { freePort } from "../../support/free-port.js";
import { createRandom } from "../../support/random.js";
import { names, toDefinitions } from "./contract.mjs";
import { type OutputOperation, type Program, type ProgramOptions, startProgram } from "./programs.js";

/** How far a run goes. */
export interface KillOptions {
  /** Determines what is killed and when, as far as the scheduling of the machine allows. */
  readonly seed: number;
  readonly operations: number;
  /** Chunks of each operation. */
  readonly chunks: number;
  /** How often a process of each role is killed. */
  readonly kills: number;
}

/** The ways in which readers read: see reader.mjs. */
export const WAYS = ["client", "events", "long-poll", "catch-up", "in-process"] as const;

/** So many operations are not read to their end at once, at most. */
const MAX_OPEN = 24;
/** Longest time between the submissions of a round and its kills. Milliseconds. */
const KILL_WITHIN_MS = 400;
/** Pause of a processor between two chunks, so that kills find work in progress. Milliseconds. */
const PAUSE_MS = 4;
/** A checkpoint follows this many chunks. */
const EVERY = 32;
/** Time for a round of kills to find less work. Milliseconds. */
const ROUND_MS = 120_000;

/** Results of a run. Its files stay until the end of the test. */
export interface KillReport {
  readonly operations: readonly OutputOperation[];
  readonly kills: Readonly<Record<"reader" | "api" | "worker", number>>;
  /** How often a reader continued with an output of which it had kept a part. */
  readonly continued: number;
  /** Folder of what the workers wrote down. */
  readonly ledgers: string;
  /** Returns the file in which the reader of this way has kept an output. */
  keptBy(way: string, operation: OutputOperation): string;
}

/**
 * Submits operations a few at a time, and kills an API, a worker and a reader each time, while there is work in progress. Ends when
 * every reader has read every output to its end.
 */
export async function runKills(url: string, options: KillOptions): Promise<KillReport> {
  const random = createRandom(options.seed);
  const parent = mkdtempSync(join(tmpdir(), "output-kills-"));
  const ledgers = join(parent, "ledgers");
  const folderOf = (way: string): string => join(parent, way);
  for (const folder of [ledgers, ...WAYS.map(folderOf)]) mkdirSync(folder);
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const ports = [await freePort(), await freePort()];
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const operations: OutputOperation[] = [];
  const unread = new Set<string>();
  const crashes: string[] = [];
  let continued = 0;
  let workers = 0;

  const newOptions = {
    api: (index: number): ProgramOptions => ({ role: "api", url, port: ports[index] as number }),
    worker: (): ProgramOptions => ({ role: "worker", url, ledger: join(ledgers, String(workers++)) }),
    reader: (index: number): ProgramOptions => {
      const way = WAYS[index] as string;
      return { role: "reader", way, folder: folderOf(way), url, baseUrls };
    },
  };
  type Role = keyof typeof newOptions;

  async function start(role: Role, index: number): Promise<Program> {
    const way = role === "reader" ? WAYS[index] : "";
    const program = await startProgram(newOptions[role](index), (message) => {
      if ("closed" in message) unread.delete(`${way} ${message.closed}`);
      if ("continues" in message) continued += 1;
    });
    // A process that was killed has no exit code.
    void program.exited.then((code) => code !== null && crashes.push(`${role} ${way} ended with ${code}`));
    if (role === "reader") program.child.send({ operations });
    return program;
  }

  const startAll = (role: Role, count: number): Promise<Program[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => start(role, index)));
  const [apis, workerPrograms, readers] = await Promise.all([
    startAll("api", ports.length),
    startAll("worker", 2),
    startAll("reader", WAYS.length),
  ]);
  const fleet = { api: apis, worker: workerPrograms, reader: readers };
  const kills = { api: 0, worker: 0, reader: 0 };
  const clients = baseUrls.map((baseUrl) => createClient({ baseUrl, definitions: toDefinitions() }));

  async function submit(count: number): Promise<void> {
    while (operations.length < count) {
      const definition = names[operations.length % names.length] as string;
      const input = { chunks: options.chunks, every: EVERY, pauseMs: PAUSE_MS };
      const { operationId: id } = (await random.pick(clients)[definition]?.submit(input)) ?? {};
      if (id === undefined) throw new Error(`There is no definition "${definition}".`);
      const operation = { definition, id };
      operations.push(operation);
      for (const way of WAYS) unread.add(`${way} ${id}`);
      for (const { child } of readers) if (child.connected) child.send({ operations: [operation] });
    }
  }

  async function kill(role: Role): Promise<void> {
    const index = random.below(fleet[role].length);
    await sleep(random.below(KILL_WITHIN_MS));
    await fleet[role][index]?.kill9();
    kills[role] += 1;
    fleet[role][index] = await start(role, index);
  }

  const openCount = (): number => new Set([...unread].map((each) => each.split(" ")[1])).size;
  try {
    for (let round = 1; round <= options.kills; round += 1) {
      await submit(Math.ceil((options.operations * round) / options.kills));
      await vi.waitUntil(() => openCount() <= MAX_OPEN || crashes.length > 0, { timeout: ROUND_MS });
      expect(openCount(), "operations in progress when processes are killed").toBeGreaterThan(0);
      await Promise.all([kill("api"), kill("worker"), kill("reader")]);
      expect(crashes).toEqual([]);
    }
    await vi.waitUntil(() => unread.size === 0 || crashes.length > 0, { timeout: ROUND_MS });
    expect(crashes).toEqual([]);
  } finally {
    await Promise.all(Object.values(fleet).flatMap((programs) => programs.map(({ kill9 }) => kill9())));
  }
  return {
    operations,
    kills,
    continued,
    ledgers,
    keptBy: (way, { id }) => join(folderOf(way), id),
  };
}
