import type { Job } from "../../../worker/attempt/job.js";
import type { SaveAsynchronously, Writes } from "../../../worker/attempt/output/job-members.js";
import type { Saved } from "../ledger/standing.js";
import type { Stage } from "../stage.js";
import type { Process } from "../world/process.js";
import { LEASE_MS } from "./options.js";

/** The job of an order with output. */
type PagesJob = Job &
  Writes<string> & {
    readonly resumed: Saved | undefined;
    readonly checkpoint: SaveAsynchronously<Saved, unknown>;
  };

const MAX_PARTS = 4;
const MAX_CHUNKS = 3;
const PAUSE_MS = 1_000;

/** Thrown by a function that rolls its transaction back on purpose. */
class DeliberateRollback extends Error {}

/** The output of one run of an order. No two chunks are the same. */
export interface Pages {
  /** Number of chunks, with those of earlier attempts. */
  readonly count: number;
  /** Writes some chunks, and saves checkpoints after some of them. */
  write(): Promise<void>;
  /** Writes one chunk, and does not wait until it is stored. */
  writeOne(): void;
  /** Forgets the chunks after this number of them, because their transaction was rolled back. */
  forgetAfter(count: number): void;
}

/** Returns the output of one run, or undefined in histories without output. */
export function pagesOf(stage: Stage, process: Process, given: Job): Pages | undefined {
  if (stage.output === undefined) return undefined;
  const { world, nextNumber } = stage;
  const { choices } = world;
  const job = given as PagesJob;
  let count = job.resumed?.chunks ?? 0;

  function writeNext(): Promise<void> {
    // Its length and its size differ.
    const written = job.write(`${count}é${nextNumber()}`);
    count += 1;
    return written;
  }

  async function writePart(): Promise<void> {
    for (let left = choices.choose(MAX_CHUNKS + 1); left > 0; left -= 1) {
      const written = writeNext();
      if (choices.choose(2) === 0) await written;
    }
    const way = choices.weighted([
      ["goes on", 3],
      ["saves", 3],
      ["commits", canCommit(stage) ? 3 : 0],
      ["pauses", 1],
      ["blocks", 1],
    ]);
    if (way === "saves") await job.checkpoint({ chunks: count, mark: nextNumber() });
    if (way === "commits") await commit();
    if (way === "blocks") world.freeze(process, LEASE_MS * 2);
    if (way === "pauses" || way === "blocks")
      await new Promise<void>((resolve) => world.clockOf(process).schedule(PAUSE_MS, resolve));
  }

  /** Saves a checkpoint together with an effect and a chunk. Sometimes all of it is rolled back. */
  async function commit(): Promise<void> {
    const mark = nextNumber();
    const isUndone = choices.choose(4) === 3;
    const before = count;
    const finish = (): void => {
      void writeNext();
      if (isUndone) throw new DeliberateRollback();
    };
    try {
      await job.checkpoint({ chunks: count + 1, mark }, writing(stage, process, `save ${mark}`, finish));
    } catch (error) {
      if (!(error instanceof DeliberateRollback)) throw error;
      count = before;
    }
  }

  return {
    get count() {
      return count;
    },
    write: async () => {
      for (let left = choices.choose(MAX_PARTS); left > 0; left -= 1) await writePart();
    },
    writeOne: () => void writeNext(),
    forgetAfter: (before) => {
      count = before;
    },
  };
}

/** Returns whether a checkpoint can commit effects. */
function canCommit({ backend, transactions, synchronous }: Stage): boolean {
  if (!("submissions" in backend)) return false;
  const { submissions } = backend;
  const { append } =
    synchronous === undefined ? (submissions.transactions ?? {}) : (submissions.synchronous ?? {});
  return append !== undefined && (synchronous !== undefined || transactions.users !== undefined);
}

/** Returns the function of a transaction that writes an effect. */
function writing(
  { synchronous, transactions }: Stage,
  process: Process,
  effect: string,
  finish: () => void,
): (tx: unknown) => void | Promise<void> {
  if (synchronous === undefined) return (tx) => transactions.write(process, tx, effect).then(finish);
  return (handle) => {
    synchronous.write(handle, effect);
    finish();
  };
}
