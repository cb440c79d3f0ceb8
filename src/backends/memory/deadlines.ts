import { Schedule, type Scheduled } from "./schedule.js";

/** Place of an entry in the order of deadlines. */
interface Deadline<T> extends Scheduled<Deadline<T>> {
  readonly entry: T;
}

/** Entry that {@link Deadlines} can follow. */
export interface Expiring<T> {
  /** Its place in the order of deadlines, if it has one. Only {@link Deadlines} writes this member. */
  deadline: Deadline<T> | undefined;
}

/** Finds entries that are overdue without looking at the others. */
export class Deadlines<T extends Expiring<T>> {
  readonly #schedule = new Schedule<Deadline<T>>();

  /** Gives an entry the time when it expires, or none, because an attempt has begun or it has ended. */
  set(entry: T, startBy: number | undefined): void {
    const { deadline } = entry;
    if (deadline?.dueAt === startBy) return;
    deadline?.chain?.remove(deadline);
    entry.deadline = undefined;
    if (startBy === undefined) return;
    const added = { entry, dueAt: startBy, chain: undefined, before: undefined, after: undefined };
    entry.deadline = added;
    this.#schedule.put(added);
  }

  /** Removes and returns up to `limit` entries that are overdue. */
  take(now: number, limit: number): T[] {
    return this.#schedule.take(now, limit).map(({ entry }) => entry);
  }
}
