import { systemClock } from "../platform/system-runtime.js";
import type { Observer, ServiceEvent } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { levelOf } from "./log-events.js";
import { codeOf, toLine } from "./to-line.js";

type Level = "warn" | "error";

/**
 * Creates the default observer of services and workers. It writes warnings and errors to the console, one line each,
 * and at most 10 lines in 10 s for each event and code. Mistakes of clients are left out. To keep these lines beside
 * your own logging, call it from your `observe`.
 *
 * @param clock Clock for the 10 s. Default: the platform's.
 */
export function createConsoleObserver(clock: Clock = systemClock): Observer {
  const limit = createRateLimit(clock);
  return (event) => {
    const level = levelOf(event);
    if (level === "info" || isMistakeOfClient(event)) return;
    for (const { kind, count } of limit.ended()) write("warn", `${kind}: suppressed ${count} more.`);
    const kind = [event.event, codeOf(event)].filter((part) => part !== undefined).join(" ");
    const verdict = limit.count(kind);
    if (verdict === "suppress") return;
    write(level, toLine(event));
    if (verdict === "last") write(level, `${kind}: more of these in the next seconds are suppressed.`);
  };
}

function isMistakeOfClient(event: ServiceEvent): boolean {
  return event.event === "key.reused" || (event.event === "request.refused" && event.status < 500);
}

/** Part of a console that the observer uses. Some runtimes have no console. */
type ConsoleLike = Partial<Record<Level | "log", (line: string) => void>>;

function write(level: Level, line: string): void {
  const { console } = globalThis as { readonly console?: ConsoleLike };
  const method = console?.[level] ?? console?.log;
  method?.call(console, `[async-request-reply] ${line}`);
}

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
interface RateLimit {
  /** Counts a line and returns what to do with it. After a `last` line, the rest of the window is suppressed. */
  count(kind: string): "print" | "last" | "suppress";
  /** Closes windows that have ended and returns the lines that were suppressed in them. */
  ended(): readonly Suppressed[];
}

/** Creates a limit of 10 lines in 10 s for each kind. It needs no timer: the next line closes windows that ended. */
function createRateLimit(clock: Clock): RateLimit {
  const windows = new Map<string, Window>();
  const isOver = ({ since }: Window): boolean => clock.elapsed() - since >= WINDOW_MS;
  return {
    count: (kind) => {
      const window = windows.get(kind) ?? { since: clock.elapsed(), count: 0 };
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
