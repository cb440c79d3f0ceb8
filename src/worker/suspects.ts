import type { Operation } from "../contract/operation.js";
import type { Clock } from "../ports/runtime.js";
import type { CheckedProcessor } from "./processors.js";

/**
 * Suspects are operations whose last attempt was lost, because they may have crashed their process. The first of a
 * definition begins without others. Each one that survives lets one more begin beside the others, so that a suspect
 * that crashes this process costs few others an attempt, and the harmless ones soon use all slots (docs/decisions/work.md).
 */
export interface Suspects {
  /** Returns whether a suspect of this definition may begin now. */
  mayBegin(definition: string): boolean;
  /** Lets a suspect begin, of which `attempt` counts the tries since its last checkpoint, and returns the function to call when it has ended. Returns undefined if it must wait. */
  begin(
    operation: Pick<Operation, "definition" | "attempt">,
    settings: Pick<CheckedProcessor["settings"], "leaseMs" | "maxAttempts">,
  ): (() => void) | undefined;
  /** Calls the listener when another suspect may begin. Returns a function that removes it. */
  onOpen(listener: () => void): () => void;
}

/** A suspect beyond this attempt has lost at least two. Until it ends, no suspect of any definition begins. */
const MAX_ATTEMPT_BESIDE_OTHERS = 2;

/** The suspects of one definition. */
interface Line {
  /** Attempts that keep further suspects from beginning. */
  readonly holders: Set<object>;
  /** How many may hold at once. Back to 1 at `narrowsAt`. */
  width: number;
  narrowsAt: number;
  /** Whether a suspect waits until there are no holders, or holds alone. */
  closed: boolean;
}

/** Creates the suspects of a worker. */
export function createSuspects(clock: Clock): Suspects {
  const lines = new Map<string, Line>();
  let alone: object | undefined;
  const listeners = new Set<() => void>();

  function lineOf(definition: string): Line {
    let line = lines.get(definition);
    if (line === undefined) {
      line = { holders: new Set(), width: 1, narrowsAt: 0, closed: false };
      lines.set(definition, line);
    }
    if (line.holders.size === 0) {
      line.closed = false;
      if (line.width > 1 && clock.elapsed() >= line.narrowsAt) line.width = 1;
    }
    return line;
  }

  function hasRoom({ holders, width, closed }: Line): boolean {
    return alone === undefined && !closed && holders.size < width;
  }

  function leave(line: Line, holder: object): void {
    if (!line.holders.delete(holder)) return;
    if (alone === holder) alone = undefined;
    for (const listener of listeners) listener();
  }

  return {
    mayBegin: (definition) => hasRoom(lineOf(definition)),
    begin: ({ definition, attempt }, { leaseMs, maxAttempts }) => {
      const line = lineOf(definition);
      if (!hasRoom(line)) return undefined;
      const isRepeated = attempt > MAX_ATTEMPT_BESIDE_OTHERS;
      // A crash beside it would be its end.
      const isLast = attempt >= maxAttempts;
      if (isRepeated || isLast) {
        line.closed = true;
        if (line.holders.size > 0) return undefined;
      }
      const holder = {};
      line.holders.add(holder);
      if (isRepeated) alone = holder;
      const survive = (): void => {
        line.width += 1;
        line.narrowsAt = clock.elapsed() + leaseMs;
        leave(line, holder);
      };
      // One that has lived for two renewals no longer holds up the others.
      const cancel = isRepeated ? () => {} : clock.schedule(Math.ceil((leaseMs * 2) / 3), survive);
      return () => {
        cancel();
        if (line.holders.has(holder)) survive();
      };
    },
    onOpen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
