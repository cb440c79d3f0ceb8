import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The lines that a stream has delivered so far. */
export interface Lines {
  all(): readonly string[];
  /**
   * Resolves to the `count`-th line for which `matches` returns true, past lines included. Default: the first one.
   * Rejects if the stream ends without it.
   */
  find(matches: (line: string) => boolean, count?: number): Promise<string>;
}

/** Collects the lines of a stream from now on. */
export function collectLines(stream: Readable): Lines {
  const lines: string[] = [];
  const reader = createInterface({ input: stream }).on("line", (line) => lines.push(line));
  let ended = false;
  reader.once("close", () => {
    ended = true;
  });

  return {
    all: () => lines,
    find: (matches, count = 1) =>
      new Promise((resolve, reject) => {
        let left = count;
        const look = (line: string): void => {
          if (!matches(line)) return;
          left -= 1;
          if (left === 0) finish(() => resolve(line));
        };
        const fail = (): void =>
          finish(() => reject(new Error(`The stream ended without the line:\n${lines.join("\n")}`)));
        const finish = (then: () => void): void => {
          reader.off("line", look).off("close", fail);
          then();
        };
        reader.on("line", look).once("close", fail);
        lines.forEach(look);
        if (ended) fail();
      }),
  };
}
