import type { Lines } from "../support/lines.js";

/** One line of the JSON log. */
export interface EventLine {
  readonly time: string;
  readonly event: string;
  readonly operationId?: string;
  readonly attempt?: number;
  readonly error?: string;
}

/** Returns the events logged so far. Throws on a line that is not JSON. */
export function eventsOf(stdout: Lines): readonly EventLine[] {
  return stdout.all().map(parse);
}

/** Waits until `count` events of this name are logged. Default: 1. */
export async function untilLogged(stdout: Lines, name: string, count = 1): Promise<void> {
  await stdout.find((line) => parse(line).event === name, count);
}

function parse(line: string): EventLine {
  return JSON.parse(line) as EventLine;
}
