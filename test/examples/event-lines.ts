import type { Lines } from "./lines.js";

/** One line of the JSON log. */
export interface EventLine {
  readonly time: string;
  readonly event: string;
  readonly operationId?: string;
  readonly attempt?: number;
  readonly error?: string;
}

/** The events logged so far. Fails on a line that is no JSON. */
export function eventsOf(stdout: Lines): readonly EventLine[] {
  return stdout.all().map(parse);
}

/** Waits until an event of this name was logged, or so many of them. */
export async function untilLogged(stdout: Lines, name: string, count = 1): Promise<void> {
  await stdout.find((line) => parse(line).event === name, count);
}

function parse(line: string): EventLine {
  return JSON.parse(line) as EventLine;
}
