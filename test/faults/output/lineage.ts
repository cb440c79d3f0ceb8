import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toChunk } from "./contract.mjs";

/** A line that a worker wrote down: the begin of an attempt, or a chunk that it was about to write. */
type Line = { readonly operationId: string; readonly attempt: number } & (
  | { readonly from: number }
  | { readonly number: number }
);

/** Notes of the workers about an operation. */
interface Written {
  /** The first chunk of each attempt, by its number. */
  readonly begins: Map<number, number>;
  /** The number of chunks after the last one that each attempt wrote. */
  readonly ends: Map<number, number>;
}

/** Everything that the processors did. */
export interface Ledgers {
  /** Number of attempts that began. */
  readonly attempts: number;
  /** Returns what has to stand, as JSON: an attempt keeps what is before its first chunk, and adds its own. */
  standing(operationId: string): readonly string[];
  /** Returns the last attempt of an operation. */
  lastAttempt(operationId: string): number;
}

/** Reads what the workers wrote down. */
export function readLedgers(folder: string): Ledgers {
  const written = new Map<string, Written>();
  let attempts = 0;
  for (const line of readdirSync(folder).flatMap((name) => linesOf<Line>(join(folder, name)))) {
    const { operationId, attempt } = line;
    const known = written.get(operationId) ?? { begins: new Map(), ends: new Map() };
    written.set(operationId, known);
    if ("from" in line) {
      attempts += 1;
      known.begins.set(attempt, line.from);
    } else known.ends.set(attempt, line.number + 1);
  }
  const attemptsOf = (operationId: string): readonly number[] =>
    [...(written.get(operationId)?.begins.keys() ?? [])].sort((a, b) => a - b);
  return {
    attempts,
    standing: (operationId) => {
      const chunks: string[] = [];
      const { begins, ends } = written.get(operationId) ?? { begins: new Map(), ends: new Map() };
      for (const attempt of attemptsOf(operationId)) {
        const from = begins.get(attempt) ?? 0;
        if (from > chunks.length) throw new Error(`Attempt ${attempt} continued at ${from}, after a gap.`);
        chunks.length = from;
        for (let number = from; number < (ends.get(attempt) ?? from); number += 1)
          chunks.push(JSON.stringify(toChunk(attempt, number)));
      }
      return chunks;
    },
    lastAttempt: (operationId) => attemptsOf(operationId).at(-1) ?? 0,
  };
}

/** A line that a reader kept. */
type KeptLine =
  | {
      readonly at: number;
      readonly chunks: readonly { readonly number: number }[];
      readonly position: string;
    }
  | { readonly closed: true };

/** The output that a reader holds at the end, and how it got there. */
export interface Held {
  /** The chunks, as JSON. */
  readonly chunks: readonly string[];
  readonly position: string;
  readonly closed: boolean;
  /** How often chunks were discarded that it had. */
  readonly discards: number;
  /** Mistakes on the way, such as a gap. */
  readonly mistakes: readonly string[];
}

/** Reads what a reader kept. */
export function readHeld(path: string): Held {
  const chunks: string[] = [];
  const mistakes: string[] = [];
  let position = "";
  let closed = false;
  let discards = 0;
  for (const line of linesOf<KeptLine>(path)) {
    if (closed) mistakes.push("It read on after the end.");
    if ("closed" in line) {
      closed = true;
      continue;
    }
    if (line.at > chunks.length) mistakes.push(`After ${chunks.length} chunks, it got one at ${line.at}.`);
    if (line.at < chunks.length) discards += 1;
    chunks.length = Math.min(line.at, chunks.length);
    for (const chunk of line.chunks) {
      if (chunk.number !== chunks.length) mistakes.push(`It got chunk ${chunk.number} at ${chunks.length}.`);
      chunks.push(JSON.stringify(chunk));
    }
    position = line.position;
  }
  return { chunks, position, closed, discards, mistakes };
}

function linesOf<Line>(path: string): readonly Line[] {
  // A SIGKILL can leave a part of a line.
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}
