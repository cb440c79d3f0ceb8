import { type AsyncReplyError, isAsyncReplyError, textOf } from "../contract/errors.js";
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
 * failures of attempts are warnings, and all other events are info. So are cancellations, which clients ask for.
 */
export function logEvents(logger: Logger): Observer {
  return (event) => {
    logger[levelOf(event)](fieldsOf(event), event.event);
  };
}

/**
 * Returns the fields of an event. The error of a client's mistake or cancellation is reduced to one sentence: its stack is
 * not useful, and both are frequent.
 */
function fieldsOf(event: ServiceEvent): object {
  const cancelled = cancellationIn(event);
  if (cancelled !== undefined) return { ...event, error: textOf(cancelled) };
  const isClients = event.event === "request.refused" && event.status < 500;
  return isClients ? { ...event, error: textOf(event.error) } : event;
}

/** Returns the cancellation that ended an operation. A processor may throw it as the cause of another error. */
export function cancellationIn(event: ServiceEvent): AsyncReplyError | undefined {
  let error: unknown = event.event === "operation.failed" ? event.error : undefined;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth += 1) {
    if (isAsyncReplyError(error) && error.code === "CANCELLED") return error;
    error = error.cause;
  }
  return undefined;
}

const MAX_CAUSES = 3;

const WARNINGS: ReadonlySet<ServiceEvent["event"]> = /* @__PURE__ */ new Set<ServiceEvent["event"]>([
  "operation.retried",
  "operation.failed",
  "operation.expired",
  "attempt.lost",
  "progress.dropped",
  "webhook.failed",
  "webhook.postponed",
  "operation.abandoned",
  "key.reused",
  "service.memory-only",
  "definition.unattended",
]);

/** Returns the log level of an event. */
export function levelOf(event: ServiceEvent): keyof Logger {
  if (event.event === "background.failed" || event.event === "service.no-authorize") return "error";
  if (event.event === "service.memory-only" && event.inProduction) return "error";
  if (event.event === "request.refused") return event.status >= 500 ? "error" : "warn";
  if (cancellationIn(event) !== undefined) return "info";
  return WARNINGS.has(event.event) ? "warn" : "info";
}
