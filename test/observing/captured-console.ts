import { onTestFinished } from "vitest";

/** A line written to the console, with its level. */
export type Line = readonly [level: string, line: string];

/** Replaces the console of this process for the rest of the test. */
export function replaceConsole(replacement: unknown): void {
  const { console } = globalThis;
  onTestFinished(() => {
    globalThis.console = console;
  });
  globalThis.console = replacement as Console;
}

/** Collects the console output for the rest of the test. */
export function captureConsole(): readonly Line[] {
  const lines: Line[] = [];
  const take = (level: string) => (line: string) => void lines.push([level, line]);
  replaceConsole({ log: take("log"), info: take("info"), warn: take("warn"), error: take("error") });
  return lines;
}
