import type { Operation } from "../contract/operation.js";
import type { Announcement } from "../ports/announcement.js";
import type { Delivery } from "../ports/queue.js";
import type { Clock } from "../ports/runtime.js";
import type { CheckedProcessor } from "./processors.js";

/**
 * Suspects are operations whose last attempt was lost, because they may have crashed their process. The first of a
 * definition begins without others. Each one that survives lets one more begin beside the others, so that a suspect
 * that crashes this process costs few others an attempt, and the harmless ones soon use all slots (docs/decisions/leases.md).
 */
export interface Suspects {
  /** Returns whether a suspect of this definition may begin now. */
  mayBegin(definition: string): boolean;
  /** Lets a suspect begin, and returns the function to call when it has ended. Returns undefined if it must wait. */
  begin(
    operation: Operation,
    settings: Pick<CheckedProcessor["settings"], "leaseMs" | "maxAttempts">,
  ): (() => void) | undefined;
  /** Keeps the announcement of a suspect that must wait. */
  wait(announcement: Announcement): void;
  /** Returns whether this suspect waits. */
  isWaiting(announcement: Announcement): boolean;
  /**
   * Returns deliveries of up to `limit` waiting announcements that may begin now, and of each definition no more than
   * its free slots. Each counts as one that has begun until `answered`.
   */
  next(slots: ReadonlyMap<string, number>, limit: number): readonly Delivery[];
  /** Call this when the store has answered whether the attempt of a delivery begins, right before `begin`. */
  answered(announcement: Announcement): void;
  /** Removes and returns all waiting announcements. */
  takeAll(): readonly Announcement[];
  /** Sets the function that is called when another suspect may begin. */
  onOpen(listener: () => void): void;
}

/** A suspect beyond this attempt has lost at least two. Until it ends, no suspect of any definition begins. */
const MAX_ATTEMPT_BESIDE_OTHERS = 2;

/** The suspects of one definition. */
interface Line {
  /** Attempts, and deliveries before their answer, that keep further suspects from beginning. */
  readonly holders: Set<object>;
  readonly waiting: Map<string, Announcement>;
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
  let opened: () => void = () => {};

  function lineOf(definition: string): Line {
    let line = lines.get(definition);
    if (line === undefined) {
      line = { holders: new Set(), waiting: new Map(), width: 1, narrowsAt: 0, closed: false };
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
    opened();
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
    wait: (announcement) => {
      lineOf(announcement.definition).waiting.set(announcement.operationId, announcement);
    },
    isWaiting: ({ definition, operationId }) => lines.get(definition)?.waiting.has(operationId) ?? false,
    next: (slots, limit) => {
      const deliveries: Delivery[] = [];
      for (const [definition, free] of slots) {
        const line = lineOf(definition);
        const most = Math.min(limit, deliveries.length + free);
        for (const announcement of line.waiting.values()) {
          if (deliveries.length >= most || !hasRoom(line)) break;
          line.waiting.delete(announcement.operationId);
          line.holders.add(announcement);
          deliveries.push({ announcement, ack: done, nack: done });
        }
      }
      return deliveries;
    },
    answered: (announcement) => {
      const line = lines.get(announcement.definition);
      if (line !== undefined) leave(line, announcement);
    },
    takeAll: () => {
      const all = [...lines.values()].flatMap(({ waiting }) => [...waiting.values()]);
      for (const { waiting } of lines.values()) waiting.clear();
      return all;
    },
    onOpen: (listener) => {
      opened = listener;
    },
  };
}

/** The queue has no part in these deliveries. If an operation could not begin, the sweep announces it again. */
async function done(): Promise<void> {}
