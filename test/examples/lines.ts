import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The lines that a stream has brought so far. */
export interface Lines {
  all(): readonly string[];
  text(): string;
  /** Waits for a line of which `isIt` is true; rejects when the stream ends without one. */
  find(isIt: (line: string) => boolean): Promise<string>;
  /** Waits until `isEnough` is true of all lines so far; rejects when the stream ends before. */
  until(isEnough: (lines: readonly string[]) => boolean): Promise<void>;
}

/** Reads a stream by lines from now on. */
export function collectLines(stream: Readable): Lines {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const changed = (): void => {
    for (const look of waiting) look();
  };
  createInterface({ input: stream })
    .on("line", (line) => {
      lines.push(line);
      changed();
    })
    .on("close", () => {
      ended = true;
      changed();
    });

  function until(isEnough: (lines: readonly string[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const enough = isEnough(lines);
        if (!enough && !ended) return;
        waiting.delete(look);
        if (enough) resolve();
        else reject(new Error(`The stream ended without what was waited for:\n${lines.join("\n")}`));
      };
      waiting.add(look);
      look();
    });
  }

  return {
    all: () => lines,
    text: () => lines.join("\n"),
    until,
    find: async (isIt) => {
      await until((all) => all.some(isIt));
      return lines.find(isIt) ?? "";
    },
  };
}
