import { textOf } from "../contract/errors.js";
import type { Observer, ServiceEvent } from "../ports/observer.js";

/** The call shape of pino and of most loggers after it: fields first, then the message. */
export interface Logger {
  /** For what works as intended. */
  info(fields: object, message: string): void;
  /** For mistakes of clients and failures of single attempts. */
  warn(fields: object, message: string): void;
  /** For problems of the service itself. */
  error(fields: object, message: string): void;
}

/** Creates an observer that logs problems of the service as errors, those of clients and attempts as warnings, and the rest as info. */
export function logEvents(logger: Logger): Observer {
  return (event) => {
    logger[levelOf(event)](fieldsOf(event), event.event);
  };
}

/** Reports a client's mistake as one sentence. Its stack says nothing useful, and there are many. */
function fieldsOf(event: ServiceEvent): object {
  const isClients = event.event === "request.refused" && event.status < 500;
  return isClients ? { ...event, error: textOf(event.error) } : event;
}

/** Returns the level at which an event is logged. */
export function levelOf(event: ServiceEvent): keyof Logger {
  if (event.event === "background.failed") return "error";
  if (event.event === "request.refused") return event.status >= 500 ? "error" : "warn";
  const warnings = [
    "operation.retried",
    "operation.failed",
    "attempt.lost",
    "operation.abandoned",
    "key.reused",
    "service.memory-only",
    "definition.unattended",
  ];
  return warnings.includes(event.event) ? "warn" : "info";
}
