import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The lines that a stream has brought so far. */
export interface Lines {
  all(): readonly string[];
  /**
   * Waits for the first line, or the `count`-th, of which `isIt` is true, past lines included. Rejects when the stream
   * ends without it.
   */
  find(isIt: (line: string) => boolean, count?: number): Promise<string>;
}

/** Reads a stream by lines from now on. */
export function collectLines(stream: Readable): Lines {
  const lines: string[] = [];
  const reader = createInterface({ input: stream }).on("line", (line) => lines.push(line));
  let ended = false;
  reader.once("close", () => {
    ended = true;
  });

  return {
    all: () => lines,
    find: (isIt, count = 1) =>
      new Promise((resolve, reject) => {
        let left = count;
        const look = (line: string): void => {
          if (!isIt(line)) return;
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
