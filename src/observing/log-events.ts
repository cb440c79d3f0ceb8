import { textOf } from "../contract/errors.js";
import type { Observer, ServiceEvent } from "../ports/observer.js";

/** Logger with the signature of pino and many others: fields first, then the message. */
export interface Logger {
  /** Logs an event of normal operation. */
  info(fields: object, message: string): void;
  /** Logs a mistake of a client or the failure of a single attempt. */
  warn(fields: object, message: string): void;
  /** Logs a problem of the service itself. */
  error(fields: object, message: string): void;
}

/**
 * Creates an observer that writes every event to a logger. Problems of the service are errors, mistakes of clients and
 * failures of attempts are warnings, and all other events are info.
 */
export function logEvents(logger: Logger): Observer {
  return (event) => {
    logger[levelOf(event)](fieldsOf(event), event.event);
  };
}

/**
 * Returns the fields of an event. The error of a client's mistake is reduced to one sentence: its stack is not useful,
 * and such mistakes are frequent.
 */
function fieldsOf(event: ServiceEvent): object {
  const isClients = event.event === "request.refused" && event.status < 500;
  return isClients ? { ...event, error: textOf(event.error) } : event;
}

/** Returns the log level of an event. */
export function levelOf(event: ServiceEvent): keyof Logger {
  if (event.event === "background.failed") return "error";
  if (event.event === "request.refused") return event.status >= 500 ? "error" : "warn";
  const warnings = [
    "operation.retried",
    "operation.failed",
    "attempt.lost",
    "webhook.failed",
    "operation.abandoned",
    "key.reused",
    "service.memory-only",
    "definition.unattended",
  ];
  return warnings.includes(event.event) ? "warn" : "info";
}
