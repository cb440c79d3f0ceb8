import type { Deadline, MemoryEntry } from "./entry.js";
import { Schedule } from "./schedule.js";

/** Finds entries that are overdue without looking at the others. */
export class Deadlines {
  readonly #schedule = new Schedule<Deadline>();

  /** Follows a change of an entry: adds it, or removes it because it has begun or ended. */
  changed(entry: MemoryEntry): void {
    const startBy = entry.operation.settledAt === undefined ? entry.startBy : undefined;
    const { deadline } = entry;
    if (deadline?.announceAt === startBy) return;
    deadline?.chain?.remove(deadline);
    entry.deadline = undefined;
    if (startBy === undefined) return;
    entry.deadline = { entry, announceAt: startBy, chain: undefined, before: undefined, after: undefined };
    this.#schedule.put(entry.deadline, startBy);
  }

  /** Removes and returns up to `limit` entries that are overdue. */
  take(now: number, limit: number): MemoryEntry[] {
    return this.#schedule.take(now, limit).map(({ entry }) => entry);
  }
}
