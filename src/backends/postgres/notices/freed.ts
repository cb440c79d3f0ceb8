/** Lets the consumers of this process look again when a place that they may wait for becomes free. */
export interface Freed {
  /** Notes that consumers of a definition may wait for places. */
  limited(definition: string): void;
  /** Notes that an attempt has begun. */
  began(operation: { readonly id: string; readonly definition: string }): void;
  /** Called after an attempt has ended or was lost. */
  ended(operationId: string): void;
  /** Called after an operation was cancelled or has expired that did not run. It may have held up a lane. */
  cancelled(): void;
}

/** Creates the notes of a process. Places that other processes free are found at the next poll. */
export function createFreed(wake: (definitions: ReadonlySet<string>) => void): Freed {
  const limited = new Set<string>();
  /** Definitions of running operations. */
  const running = new Map<string, string>();
  return {
    limited: (definition) => void limited.add(definition),
    began: ({ id, definition }) => {
      if (limited.has(definition)) running.set(id, definition);
    },
    ended: (operationId) => {
      const definition = running.get(operationId);
      if (definition === undefined) return;
      running.delete(operationId);
      wake(new Set([definition]));
    },
    cancelled: () => {
      if (limited.size > 0) wake(limited);
    },
  };
}
