import type { NewOperation } from "../../contract/operation.js";
import { createEntry, type Entry } from "../../engine/entry.js";
import type { InitialState } from "../../ports/operation-store.js";
import type { Waiting } from "./collections/line.js";
import type { Expiring } from "./deadlines.js";

/** Entry that knows its places in the collections of the store. */
export interface MemoryEntry extends Entry, Waiting<MemoryEntry>, Expiring<MemoryEntry> {}

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
    previousLost: entry.previousLost,
    notBefore: entry.notBefore,
    startBy: entry.startBy,
    wasPending: entry.wasPending,
    chain: undefined,
    before: undefined,
    after: undefined,
    since: now,
    deadline: undefined,
  };
}
