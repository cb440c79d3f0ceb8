import type { Histogram } from "../../ports/histogram.js";
import {
  WORK_COUNTS,
  WORK_TIMES,
  type Work,
  type WorkCounts,
  type WorkTimes,
} from "../../ports/minutes-store.js";
import { flag, integer, json, type Row, text } from "./row.js";

/** Columns of the counts and the histograms. Their names are those of the members. */
export const WORK_COLUMNS: readonly string[] = [...WORK_COUNTS, ...WORK_TIMES];

/** Returns what a row has counted. Throws `CORRUPT_RECORD`. */
export function toWork(row: Row): Work {
  const counts = WORK_COUNTS.map((name) => [name, integer(row, name)]);
  const times = WORK_TIMES.map((name) => [name, json(row, name) as Histogram]);
  return {
    definition: text(row, "definition"),
    served: flag(row, "served"),
    ...(Object.fromEntries(counts) as unknown as WorkCounts),
    ...(Object.fromEntries(times) as unknown as WorkTimes),
  };
}

/** Returns the values of {@link WORK_COLUMNS}. */
export function workValues(work: WorkCounts & WorkTimes): readonly (number | string)[] {
  return [...WORK_COUNTS.map((name) => work[name]), ...WORK_TIMES.map((name) => JSON.stringify(work[name]))];
}
