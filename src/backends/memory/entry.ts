import type { NewOperation } from "../../contract/operation.js";
import type { Announcement } from "../../ports/announcement.js";
import type { InitialState } from "../../ports/operation-store.js";
import { createEntry, type Entry } from "../shared/entry.js";
import type { Linked } from "./collections/chain.js";
import type { Waiting } from "./collections/line.js";
import type { Scheduled } from "./schedule.js";

/** Entry that knows its places in the collections of the store. */
export interface MemoryEntry extends Entry, Scheduled<MemoryEntry>, Waiting<MemoryEntry> {
  /** Announcement that waits until the operation has its turn in its lane. */
  parked: Announcement | undefined;
  /** Its place in the order of deadlines, if it has one. */
  deadline: Deadline | undefined;
}

/** Place of an entry in the order of deadlines. */
export interface Deadline extends Linked<Deadline> {
  readonly entry: MemoryEntry;
  /** Time when the entry expires. Epoch milliseconds. */
  readonly announceAt: number;
}

/** Creates the entry of a new operation. It is one object literal, because a copy with `...` takes longer. */
export function createMemoryEntry(
  operation: NewOperation,
  initial: InitialState | undefined,
  now: number,
): MemoryEntry {
  const entry = createEntry(operation, initial, now);
  return {
    operation: entry.operation,
    token: entry.token,
    leaseEndsAt: entry.leaseEndsAt,
    dueAt: entry.dueAt,
    announceAt: entry.announceAt,
    round: entry.round,
    previousLost: entry.previousLost,
    notBefore: entry.notBefore,
    startBy: entry.startBy,
    wasPending: entry.wasPending,
    chain: undefined,
    before: undefined,
    after: undefined,
    since: now,
    parked: undefined,
    deadline: undefined,
  };
}
