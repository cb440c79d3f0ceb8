import type { Sent, SeriesPoint } from "../wire.js";
import { type Span, stepAt } from "./picture.js";
import type { Page } from "./view.js";

/** Number of unfinished operations of a definition. */
export interface Backlog {
  /** At the end of each step. */
  readonly values: readonly number[];
  /** Whether there were more, because counts stop. */
  readonly more: boolean;
}

/** Computes the backlog from that of now: everything that ended since was unfinished then, and everything that was accepted since was not there. */
export function backlogOf(
  stats: Page["overview"]["stats"][number],
  points: readonly Sent<SeriesPoint>[],
  span: Span,
): Backlog {
  const unfinished = [stats.due, stats.running, stats.scheduled];
  const growth = new Array<number>(span.steps).fill(0);
  for (const point of points) {
    const step = Math.floor(stepAt(point.start, span));
    growth[step] = point.accepted - point.completed - point.failed - point.cancelled;
  }
  let now = unfinished.reduce((sum, { count }) => sum + count, 0);
  const values = growth.reverse().map((grown) => {
    const end = now;
    now = Math.max(0, now - grown);
    return end;
  });
  return { values: values.reverse(), more: unfinished.some(({ more }) => more) };
}
