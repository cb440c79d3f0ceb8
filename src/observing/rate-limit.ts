import type { Clock } from "../ports/runtime.js";

/** Maximum number of lines of one kind in one window. */
const MAX_IN_WINDOW = 10;
const WINDOW_MS = 10_000;

interface Window {
  readonly since: number;
  count: number;
}

/** Lines of one kind that were suppressed. */
interface Suppressed {
  /** Kind of the lines. */
  readonly kind: string;
  /** Number of lines that were suppressed. */
  readonly count: number;
}

/** Limits lines by their kind. */
export interface RateLimit {
  /** Counts a line and returns what to do with it. After a `last` line, the rest of the window is suppressed. */
  count(kind: string): "print" | "last" | "suppress";
  /** Closes windows that have ended and returns the lines that were suppressed in them. */
  ended(): readonly Suppressed[];
}

/**
 * Creates a limit of 10 lines in 10 s for each kind. It needs no timer, because windows are closed when the next line
 * arrives.
 */
export function createRateLimit(clock: Clock): RateLimit {
  const windows = new Map<string, Window>();
  const isOver = ({ since }: Window): boolean => {
    const ageMs = clock.now() - since;
    // A clock that was set back must not keep a window open.
    return ageMs >= WINDOW_MS || ageMs < 0;
  };
  return {
    count: (kind) => {
      const window = windows.get(kind) ?? { since: clock.now(), count: 0 };
      windows.set(kind, window);
      window.count += 1;
      if (window.count === MAX_IN_WINDOW) return "last";
      return window.count < MAX_IN_WINDOW ? "print" : "suppress";
    },
    ended: () => {
      const over = [...windows].filter(([, window]) => isOver(window));
      for (const [kind] of over) windows.delete(kind);
      return over
        .map(([kind, { count }]) => ({ kind, count: count - MAX_IN_WINDOW }))
        .filter(({ count }) => count > 0);
    },
  };
}
