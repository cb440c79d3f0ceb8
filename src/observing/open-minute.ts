import { BUCKETS, bucketOf, type Histogram } from "../ports/histogram.js";
import type { MinuteRow, WorkCounts, WorkTimes } from "../ports/minutes-store.js";
import type { ServiceEvent } from "../ports/observer.js";
import { cancellationIn } from "./log-events.js";

/** When something happened, by both clocks: one can be set, and the other may stand still while the machine sleeps. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

type Mutable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

/** A row while it is counted. */
export interface OpenRow
  extends Mutable<WorkCounts>,
    Readonly<Record<keyof WorkTimes, Uint32Array>>,
    Pick<MinuteRow, "process" | "minute" | "definition"> {
  served: boolean;
  /** Whether it has counted anything since it was written. */
  isChanged: boolean;
  /** When it was last known to be written, or else first sent. Absent before. */
  sentAt: Moment | undefined;
}

/** Opens a row in which nothing has happened. */
export function openRow(about: Pick<MinuteRow, "process" | "minute" | "definition" | "served">): OpenRow {
  return {
    ...about,
    accepted: 0,
    started: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    retried: 0,
    lost: 0,
    refused: 0,
    waiting: new Uint32Array(BUCKETS),
    running: new Uint32Array(BUCKETS),
    total: new Uint32Array(BUCKETS),
    isChanged: false,
    sentAt: undefined,
  };
}

/** Returns what a row has counted so far. */
export function toMinuteRow({ isChanged: _, sentAt: _at, ...row }: OpenRow): MinuteRow {
  const { waiting, running, total } = row;
  return { ...row, waiting: toHistogram(waiting), running: toHistogram(running), total: toHistogram(total) };
}

function toHistogram(buckets: Uint32Array): Histogram {
  const histogram: Record<number, number> = {};
  for (const [bucket, count] of buckets.entries()) if (count > 0) histogram[bucket] = count;
  return histogram;
}

/**
 * Counts an event, if it is one that is counted. A handful of lookups and increments, because it is on the way of every request
 * and attempt.
 *
 * @param rowOf returns the open row of a definition, which then changes
 */
export function countEvent(event: ServiceEvent, rowOf: (definition: string) => OpenRow, now: number): void {
  switch (event.event) {
    case "operation.accepted":
    case "operation.redriven":
      rowOf(event.definition).accepted += 1;
      return;
    case "operation.started": {
      const row = rowOf(event.definition);
      row.started += 1;
      if (event.attempt === 1) add(row.waiting, now - event.createdAt);
      return;
    }
    case "operation.completed": {
      const row = rowOf(event.definition);
      row.completed += 1;
      add(row.total, now - event.createdAt);
      add(row.running, event.runMs);
      return;
    }
    case "operation.failed": {
      const row = rowOf(event.definition);
      add(row.running, event.runMs);
      if (cancellationIn(event) !== undefined) {
        row.cancelled += 1;
        return;
      }
      row.failed += 1;
      add(row.total, now - event.createdAt);
      return;
    }
    case "operation.expired": {
      const row = rowOf(event.definition);
      row.failed += 1;
      add(row.total, now - event.createdAt);
      return;
    }
    case "operation.cancelled":
      rowOf(event.definition).cancelled += 1;
      return;
    case "operation.retried": {
      const row = rowOf(event.definition);
      row.retried += 1;
      add(row.running, event.runMs);
      return;
    }
    case "attempt.lost": {
      const row = rowOf(event.definition);
      row.lost += 1;
      add(row.running, event.runMs);
      return;
    }
    default:
  }
}

function add(buckets: Uint32Array, ms: number | undefined): void {
  if (ms === undefined) return;
  const bucket = bucketOf(ms);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}
