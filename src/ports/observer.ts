/** What happened, in the words of the contract. An `error` says more than the client gets to read, but holds no payload. */
export type ServiceEvent =
  | {
      readonly event: "operation.accepted";
      readonly operationId: string;
      readonly definition: string;
      readonly tenant: string;
    }
  | {
      readonly event: "operation.replayed";
      readonly operationId: string;
      readonly definition: string;
      readonly tenant: string;
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
  /** A failed operation, `retryOf`, is run again by a new one. */
  | {
      readonly event: "operation.redriven";
      readonly operationId: string;
      readonly retryOf: string;
      readonly definition: string;
    }
  | { readonly event: "operation.purged"; readonly count: number }
  /** A submission that was never finished was ended (its key had no operation). */
  | { readonly event: "operation.abandoned"; readonly operationId: string; readonly definition: string }
  /** A key came back with another payload: a client's mistake, or somebody guessing keys. */
  | { readonly event: "key.reused"; readonly definition: string; readonly tenant: string }
  | {
      readonly event: "request.refused";
      readonly status: number;
      readonly code: string;
      readonly error: unknown;
    }
  /** Something that no client waits for went wrong: an announcement, a sweep, a renewal. It will be tried again. */
  | { readonly event: "background.failed"; readonly step: string; readonly error: unknown }
  /** A service was created without a back end: its operations are kept in memory and are lost when the process ends. */
  | { readonly event: "service.memory-only" }
  /** Operations of a definition have been due for a minute, and no worker takes them. */
  | {
      readonly event: "definition.unattended";
      readonly definition: string;
      readonly due: number;
      readonly oldestDueMs: number;
    };

/** Receives every event, including full errors. Errors that it throws or rejects with are dropped. */
export type Observer = (event: ServiceEvent) => void;
