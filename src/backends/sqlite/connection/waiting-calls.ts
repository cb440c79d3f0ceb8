import { type BatchSettings, overloaded } from "../../../batching/batches.js";
import type { CallKind } from "../../../engine/driver.js";

/** Limits for a transaction, and for the waiting calls of each kind. */
export type WaitingSettings = Omit<BatchSettings, "inFlight">;

interface Sized {
  readonly bytes: number;
}

/** Calls that wait for a shared transaction. */
export interface CallsByKind<Call extends Sized> {
  /** Number of waiting calls. */
  readonly size: number;
  /** Adds a call behind those of its kind. Throws `OVERLOADED`. */
  add(kind: CallKind, call: Call): void;
  /** Returns the calls of the next transaction: the first ones of all kinds, in turn. */
  next(): readonly Call[];
  /** Removes and returns the calls of {@link CallsByKind.next}. */
  take(): readonly Call[];
  /** Removes and returns all calls for which `isGone` is true. */
  takeGone(isGone: (call: Call) => boolean): readonly Call[];
}

/** Creates an empty {@link CallsByKind}. Kinds take turns, so that a flood of one kind does not delay the other. */
export function createCallsByKind<Call extends Sized>(limits: WaitingSettings): CallsByKind<Call> {
  const { maxBatch, maxBytes, maxWaiting, maxWaitingBytes } = limits;
  const waiting: Record<CallKind, Call[]> = { work: [], submissions: [] };
  const bytes: Record<CallKind, number> = { work: 0, submissions: 0 };
  const kinds = Object.keys(waiting) as CallKind[];

  /** Returns how many calls of each kind form the next transaction. */
  function measure(): Record<CallKind, number> {
    const counts: Record<CallKind, number> = { work: 0, submissions: 0 };
    const open = new Set(kinds);
    let [count, sum] = [0, 0];
    while (open.size > 0 && count < maxBatch) {
      for (const kind of open) {
        const call = waiting[kind][counts[kind]];
        if (call === undefined || (count > 0 && sum + call.bytes > maxBytes)) open.delete(kind);
        else {
          counts[kind] += 1;
          count += 1;
          sum += call.bytes;
        }
      }
    }
    return counts;
  }

  function removed(kind: CallKind, calls: readonly Call[]): void {
    for (const call of calls) bytes[kind] -= call.bytes;
  }

  return {
    get size() {
      return kinds.reduce((sum, kind) => sum + waiting[kind].length, 0);
    },
    add: (kind, call) => {
      const own = waiting[kind];
      const isFull =
        own.length >= maxWaiting || (own.length > 0 && bytes[kind] + call.bytes > maxWaitingBytes);
      if (isFull) throw overloaded();
      own.push(call);
      bytes[kind] += call.bytes;
    },
    next: () => {
      const counts = measure();
      return kinds.flatMap((kind) => waiting[kind].slice(0, counts[kind]));
    },
    take: () => {
      const counts = measure();
      return kinds.flatMap((kind) => {
        const calls = waiting[kind].slice(0, counts[kind]);
        waiting[kind] = waiting[kind].slice(counts[kind]);
        removed(kind, calls);
        return calls;
      });
    },
    takeGone: (isGone) =>
      kinds.flatMap((kind) => {
        const gone = waiting[kind].filter(isGone);
        waiting[kind] = waiting[kind].filter((call) => !isGone(call));
        removed(kind, gone);
        return gone;
      }),
  };
}

/** Calls that wait for the writer, in the order in which they get a transaction. */
interface WaitingCalls<Call extends { readonly bytes: number }> {
  /** Number of waiting calls. */
  readonly size: number;
  /** Adds a call that has a transaction for itself. */
  addAlone(call: Call): void;
  /** Adds calls whose shared transaction failed. Each of them runs next, alone in a transaction. */
  addApart(calls: readonly Call[]): void;
  /** Returns the calls of the next transaction. */
  next(): readonly Call[];
  /** Removes and returns the calls of {@link WaitingCalls.next}. */
  take(): readonly Call[];
  /** Removes and returns all calls for which `isGone` is true. */
  remove(isGone: (call: Call) => boolean): readonly Call[];
}

/** Creates the waiting calls. Shared transactions and calls that run alone alternate. */
export function createWaitingCalls<Call extends { readonly bytes: number }>(
  byKind: Pick<CallsByKind<Call>, "size" | "next" | "take" | "takeGone">,
): WaitingCalls<Call> {
  let apart: Call[] = [];
  let alone: Call[] = [];
  let wasAlone = false;

  const isAloneNext = (): boolean => alone.length > 0 && !(wasAlone && byKind.size > 0);

  return {
    get size() {
      return apart.length + alone.length + byKind.size;
    },
    addAlone: (call) => void alone.push(call),
    addApart: (calls) => void apart.push(...calls),
    next: () => {
      if (apart.length > 0) return apart.slice(0, 1);
      return isAloneNext() ? alone.slice(0, 1) : byKind.next();
    },
    take: () => {
      if (apart.length > 0) return apart.splice(0, 1);
      wasAlone = isAloneNext();
      return wasAlone ? alone.splice(0, 1) : byKind.take();
    },
    remove: (isGone) => {
      const gone = [...apart.filter(isGone), ...alone.filter(isGone), ...byKind.takeGone(isGone)];
      apart = apart.filter((call) => !isGone(call));
      alone = alone.filter((call) => !isGone(call));
      return gone;
    },
  };
}
