import type { Operation } from "../contract/operation.js";
import type { Announcement } from "../ports/announcement.js";
import type { Delivery } from "../ports/queue.js";
import type { Clock } from "../ports/runtime.js";

/**
 * Suspects are operations whose last attempt was lost, because they may have crashed their process. Those of one
 * definition begin one after the other, so that a suspect that crashes this process costs few others an attempt:
 * see docs/decisions/leases.md.
 */
export interface Suspects {
  /** Returns whether a suspect of this definition may begin now. */
  mayBegin(definition: string): boolean;
  /**
   * Lets a suspect begin, and returns the function to call when it has ended. Returns undefined if it must wait.
   * `leaseMs`: milliseconds.
   */
  begin(operation: Operation, leaseMs: number): (() => void) | undefined;
  /** Keeps the announcement of a suspect that must wait. */
  wait(announcement: Announcement): void;
  /** Returns whether this suspect waits. */
  isWaiting(announcement: Announcement): boolean;
  /**
   * Returns deliveries of up to `limit` waiting announcements that may begin now, at most one of each of these
   * definitions. No other suspect of the definition begins until `answered`.
   */
  next(definitions: Iterable<string>, limit: number): readonly Delivery[];
  /** Call this when the store has answered whether the attempt of a delivery begins, right before `begin`. */
  answered(announcement: Announcement): void;
  /** Removes and returns all waiting announcements. */
  takeAll(): readonly Announcement[];
  /** Sets the function that is called when another suspect may begin. */
  onOpen(listener: () => void): void;
}

/** A suspect beyond this attempt has lost at least two. It runs alone until it ends. */
const MAX_ATTEMPT_BESIDE_OTHERS = 2;

/** Creates the suspects of a worker. */
export function createSuspects(clock: Clock): Suspects {
  /** Attempts, and deliveries before their answer, that keep further suspects of their definition from beginning. */
  const holders = new Map<string, object>();
  const waiting = new Map<string, Map<string, Announcement>>();
  let alone: object | undefined;
  let opened: () => void = () => {};

  const mayBegin = (definition: string): boolean => alone === undefined && !holders.has(definition);

  function takeFirst(definition: string): Announcement | undefined {
    const line = waiting.get(definition);
    const first = line?.values().next().value;
    if (first !== undefined) line?.delete(first.operationId);
    return first;
  }

  function open(definition: string, holder: object): void {
    if (holders.get(definition) !== holder) return;
    holders.delete(definition);
    if (alone === holder) alone = undefined;
    opened();
  }

  return {
    mayBegin,
    begin: ({ definition, attempt }, leaseMs) => {
      if (!mayBegin(definition)) return undefined;
      const holder = {};
      holders.set(definition, holder);
      const end = (): void => open(definition, holder);
      if (attempt > MAX_ATTEMPT_BESIDE_OTHERS) {
        alone = holder;
        return end;
      }
      // A suspect that has lived for two renewals no longer holds up the next one.
      const cancel = clock.schedule(Math.ceil((leaseMs * 2) / 3), end);
      return () => {
        cancel();
        end();
      };
    },
    wait: (announcement) => {
      const { definition, operationId } = announcement;
      const line = waiting.get(definition) ?? new Map<string, Announcement>();
      waiting.set(definition, line.set(operationId, announcement));
    },
    isWaiting: ({ definition, operationId }) => waiting.get(definition)?.has(operationId) ?? false,
    next: (definitions, limit) => {
      const deliveries: Delivery[] = [];
      for (const definition of waiting.size === 0 ? [] : definitions) {
        if (deliveries.length >= limit) break;
        const announcement = mayBegin(definition) ? takeFirst(definition) : undefined;
        if (announcement === undefined) continue;
        holders.set(definition, announcement);
        deliveries.push({ announcement, ack: done, nack: done });
      }
      return deliveries;
    },
    answered: (announcement) => open(announcement.definition, announcement),
    takeAll: () => {
      const all = [...waiting.values()].flatMap((line) => [...line.values()]);
      waiting.clear();
      return all;
    },
    onOpen: (listener) => {
      opened = listener;
    },
  };
}

/** The queue has no part in these deliveries. If an operation could not begin, the sweep announces it again. */
async function done(): Promise<void> {}
