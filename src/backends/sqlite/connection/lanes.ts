import type { BatchLimits } from "../../../batching/batches.js";
import { overloaded } from "../../../batching/coalesce.js";

/** Limits for a transaction, and for the calls that wait in each lane. */
export type LaneLimits = Omit<BatchLimits, "inFlight">;

/** Kind of a job. Kinds take turns, so that a flood of one kind does not delay the other. */
export type LaneName = "submissions" | "work";

interface Sized {
  readonly bytes: number;
}

/** Jobs that wait for a transaction. */
export interface Lanes<Job extends Sized> {
  /** Number of waiting jobs. */
  readonly size: number;
  /** Adds a job at the end of its lane. Throws `OVERLOADED`. */
  add(name: LaneName, job: Job): void;
  /** Returns the jobs of the next transaction: the first jobs of all lanes, in turn. */
  next(): readonly Job[];
  /** Removes and returns the jobs of {@link Lanes.next}. */
  take(): readonly Job[];
  /** Removes and returns all jobs for which `isLate` is true. */
  takeLate(isLate: (job: Job) => boolean): readonly Job[];
}

/** Creates empty lanes. */
export function createLanes<Job extends Sized>(limits: LaneLimits): Lanes<Job> {
  const { maxBatch, maxBytes, maxWaiting, maxWaitingBytes } = limits;
  const lanes: Record<LaneName, Job[]> = { work: [], submissions: [] };
  const bytes: Record<LaneName, number> = { work: 0, submissions: 0 };
  const names = Object.keys(lanes) as LaneName[];

  /** Returns how many jobs of each lane form the next transaction. */
  function measure(): Record<LaneName, number> {
    const counts: Record<LaneName, number> = { work: 0, submissions: 0 };
    const open = new Set(names);
    let [count, sum] = [0, 0];
    while (open.size > 0 && count < maxBatch) {
      for (const name of open) {
        const job = lanes[name][counts[name]];
        if (job === undefined || (count > 0 && sum + job.bytes > maxBytes)) open.delete(name);
        else {
          counts[name] += 1;
          count += 1;
          sum += job.bytes;
        }
      }
    }
    return counts;
  }

  function removed(name: LaneName, jobs: readonly Job[]): void {
    for (const job of jobs) bytes[name] -= job.bytes;
  }

  return {
    get size() {
      return names.reduce((sum, name) => sum + lanes[name].length, 0);
    },
    add: (name, job) => {
      const lane = lanes[name];
      const isFull =
        lane.length >= maxWaiting || (lane.length > 0 && bytes[name] + job.bytes > maxWaitingBytes);
      if (isFull) throw overloaded();
      lane.push(job);
      bytes[name] += job.bytes;
    },
    next: () => {
      const counts = measure();
      return names.flatMap((name) => lanes[name].slice(0, counts[name]));
    },
    take: () => {
      const counts = measure();
      return names.flatMap((name) => {
        const jobs = lanes[name].slice(0, counts[name]);
        lanes[name] = lanes[name].slice(counts[name]);
        removed(name, jobs);
        return jobs;
      });
    },
    takeLate: (isLate) =>
      names.flatMap((name) => {
        const late = lanes[name].filter(isLate);
        lanes[name] = lanes[name].filter((job) => !isLate(job));
        removed(name, late);
        return late;
      }),
  };
}

/** Calls that wait for the writer, in the order in which they get a transaction. */
interface Turns<Call extends { readonly bytes: number }> {
  /** Number of waiting calls. */
  readonly size: number;
  /** Adds a call that has a transaction for itself. */
  addAlone(call: Call): void;
  /** Adds calls whose shared transaction failed. Each of them runs next, alone in a transaction. */
  addApart(calls: readonly Call[]): void;
  /** Returns the calls of the next transaction. */
  next(): readonly Call[];
  /** Removes and returns the calls of {@link Turns.next}. */
  take(): readonly Call[];
  /** Removes and returns all calls for which `isGone` is true. */
  remove(isGone: (call: Call) => boolean): readonly Call[];
}

/** Creates the turns. Shared transactions of the lanes and calls that run alone alternate. */
export function createTurns<Call extends { readonly bytes: number }>(
  lanes: Pick<Lanes<Call>, "size" | "next" | "take" | "takeLate">,
): Turns<Call> {
  let apart: Call[] = [];
  let alone: Call[] = [];
  let wasAlone = false;

  const isAloneNext = (): boolean => alone.length > 0 && !(wasAlone && lanes.size > 0);

  return {
    get size() {
      return apart.length + alone.length + lanes.size;
    },
    addAlone: (call) => void alone.push(call),
    addApart: (calls) => void apart.push(...calls),
    next: () => {
      if (apart.length > 0) return apart.slice(0, 1);
      return isAloneNext() ? alone.slice(0, 1) : lanes.next();
    },
    take: () => {
      if (apart.length > 0) return apart.splice(0, 1);
      wasAlone = isAloneNext();
      return wasAlone ? alone.splice(0, 1) : lanes.take();
    },
    remove: (isGone) => {
      const gone = [...apart.filter(isGone), ...alone.filter(isGone), ...lanes.takeLate(isGone)];
      apart = apart.filter((call) => !isGone(call));
      alone = alone.filter((call) => !isGone(call));
      return gone;
    },
  };
}
