/** What happened, in the words of the contract. `error` holds the whole cause of what a client sees only a part of. */
export type ServiceEvent =
  | {
      readonly event: "operation.accepted";
      readonly operationId: string;
      readonly definition: string;
      readonly scope: string;
    }
  | {
      readonly event: "operation.replayed";
      readonly operationId: string;
      readonly definition: string;
      readonly scope: string;
    }
  | {
      readonly event: "operation.started";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
    }
  | {
      readonly event: "operation.completed";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
    }
  | {
      readonly event: "operation.failed";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
      readonly error?: unknown;
    }
  | {
      readonly event: "operation.retried";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: unknown;
    }
  | {
      readonly event: "operation.released";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
    }
  /** The lease went to somebody else while the work ran; what it gave was dropped. */
  | {
      readonly event: "attempt.lost";
      readonly operationId: string;
      readonly definition: string;
      readonly attempt: number;
    }
  | { readonly event: "operation.purged"; readonly count: number }
  /** A submission that was never finished was ended (its key had no operation). */
  | { readonly event: "operation.abandoned"; readonly operationId: string; readonly definition: string }
  /** A key came back with another payload: a client's mistake, or somebody guessing keys. */
  | { readonly event: "key.reused"; readonly definition: string; readonly scope: string }
  | {
      readonly event: "request.refused";
      readonly status: number;
      readonly code: string;
      readonly error: unknown;
    }
  /** Something that no client waits for went wrong: an announcement, a sweep, a renewal. It will be tried again. */
  | { readonly event: "background.failed"; readonly step: string; readonly error: unknown };

/** Sees every event and every error. What it throws is dropped: watching must not change what is watched. */
export type Observer = (event: ServiceEvent) => void;

/** The call shape of pino and of most loggers after it: fields first, then the message. */
export interface Logger {
  /** For what is as it should be. */
  info(fields: object, message: string): void;
  /** For what clients or single attempts do wrong. */
  warn(fields: object, message: string): void;
  /** For what the operator should look at. */
  error(fields: object, message: string): void;
}

/** Makes an observer that logs: problems of the service as errors, of clients and attempts as warnings, the rest as info. */
export function logEvents(logger: Logger): Observer {
  return (event) => {
    logger[levelOf(event)](fieldsOf(event), event.event);
  };
}

/** A client's mistake is told in a sentence: where in the service it was noticed helps nobody, and there are many. */
function fieldsOf(event: ServiceEvent): object {
  const isClients = event.event === "request.refused" && event.status < 500;
  return isClients ? { ...event, error: String(event.error) } : event;
}

function levelOf(event: ServiceEvent): keyof Logger {
  if (event.event === "background.failed") return "error";
  if (event.event === "request.refused") return event.status >= 500 ? "error" : "warn";
  const warnings = [
    "operation.retried",
    "operation.failed",
    "attempt.lost",
    "operation.abandoned",
    "key.reused",
  ];
  return warnings.includes(event.event) ? "warn" : "info";
}

/** Shields the caller from an observer that throws. */
export function shielded(observer: Observer | undefined): Observer {
  if (observer === undefined) return () => {};
  return (event) => {
    try {
      observer(event);
    } catch {
      // Nobody is left to be told.
    }
  };
}
