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
  return stdout.all().map((line) => JSON.parse(line) as EventLine);
}

/** Waits until so many events of this name were logged. */
export async function untilLogged(stdout: Lines, event: string, count = 1): Promise<void> {
  const isIt = (line: string): boolean => (JSON.parse(line) as EventLine).event === event;
  await stdout.until((lines) => lines.filter(isIt).length >= count);
}
