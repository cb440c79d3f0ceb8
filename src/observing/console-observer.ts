import type { Observer, ServiceEvent } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { systemClock } from "../ports/system-runtime.js";
import { levelOf } from "./log-events.js";
import { createRateLimit } from "./rate-limit.js";
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
