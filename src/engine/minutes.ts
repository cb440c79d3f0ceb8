import { sumOf } from "../ports/histogram.js";
import {
  FOLD_AFTER_MS,
  HOUR_MS,
  HOURS_KEPT_MS,
  MINUTE_MS,
  MINUTES_KEPT_MS,
  type MinutesRequest,
  type MinutesStore,
  type StepWork,
  WORK_COUNTS,
  WORK_TIMES,
  type Work,
  type WorkCounts,
  type WorkTimes,
} from "../ports/minutes-store.js";
import type { Driver } from "./driver.js";

/** Identifies a row. */
export interface WorkKey {
  readonly definition: string;
  /** Start of the minute or the hour. Epoch milliseconds. */
  readonly start: number;
  /** Length of the minute or the hour. Milliseconds. */
  readonly spanMs: number;
  /** Id of the process that counted, or an empty text for the sum of all processes. */
  readonly process: string;
}

/** The work of a minute or an hour as a table keeps it. */
export interface KeptWork extends WorkKey, Work {}

/** Times before which rows are stale. Epoch milliseconds. */
export interface StaleBefore {
  /** Time of the last write of a process's row. */
  readonly writtenAt: number;
  /** Start of the sum of a minute. */
  readonly minute: number;
  /** Start of the sum of an hour. */
  readonly hour: number;
}

/** Queries of minutes. All are synchronous. */
export interface MinutesTable {
  now(): number;
  /** Inserts or replaces a row. */
  save(row: KeptWork, writtenAt: number): void;
  find(key: WorkKey): KeptWork | undefined;
  remove(key: WorkKey): void;
  /** Returns stale rows, at most `limit`. */
  stale(before: StaleBefore, limit: number): readonly KeptWork[];
  /** Returns the names of all definitions. */
  definitions(): readonly string[];
  /** Returns the rows of a definition that start in this range, whose end does not belong to it. */
  between(definition: string, from: number, to: number): readonly KeptWork[];
}

/** Creates the store of minutes of a table. */
export function createMinutesStore(driver: Driver, table: MinutesTable): MinutesStore {
  return {
    write: (rows) => driver.write("work", () => write(table, rows), { canBeLost: true }),
    fold: async ({ limit }) => {
      // A read needs no lock, so that idle processes do not delay the writers.
      const isDone = await driver.read(() => table.stale(staleBefore(table.now()), 1).length === 0);
      return isDone ? 0 : driver.write("work", () => fold(table, limit), { canBeLost: true });
    },
    read: (request) => driver.read(() => readSteps(table, request)),
  };
}

function write(table: MinutesTable, rows: Parameters<MinutesStore["write"]>[0]): void {
  for (const { minute, ...row } of rows)
    table.save({ ...row, start: minute, spanMs: MINUTE_MS }, table.now());
}

function staleBefore(now: number): StaleBefore {
  return {
    writtenAt: now - FOLD_AFTER_MS,
    minute: now - MINUTES_KEPT_MS,
    hour: now - HOURS_KEPT_MS,
  };
}

function fold(table: MinutesTable, limit: number): number {
  const now = table.now();
  const rows = table.stale(staleBefore(now), limit);
  const byTarget = new Map<string, [WorkKey, KeptWork[]]>();
  for (const row of rows) {
    table.remove(row);
    const target = targetOf(row);
    if (target !== undefined) getOrAdd(byTarget, target)[1].push(row);
  }
  for (const [target, added] of byTarget.values()) {
    const known = table.find(target);
    const all = known === undefined ? added : [known, ...added];
    table.save({ ...target, ...sumOfWork(target.definition, all) }, now);
  }
  return rows.length;
}

/** Returns the sum to which a stale row is added, or undefined if it is only deleted. */
function targetOf({ definition, start, spanMs, process }: KeptWork): WorkKey | undefined {
  if (process !== "") return { definition, start, spanMs, process: "" };
  if (spanMs === HOUR_MS) return undefined;
  return { definition, start: start - (start % HOUR_MS), spanMs: HOUR_MS, process: "" };
}

function getOrAdd(byTarget: Map<string, [WorkKey, KeptWork[]]>, key: WorkKey): [WorkKey, KeptWork[]] {
  const name = `${key.spanMs} ${key.start} ${key.definition}`;
  const known = byTarget.get(name) ?? [key, []];
  byTarget.set(name, known);
  return known;
}

function readSteps(table: MinutesTable, request: MinutesRequest): readonly StepWork[] {
  const { definitions = table.definitions(), from, to, stepMs } = request;
  return definitions.flatMap((definition) => {
    const byStep = new Map<number, KeptWork[]>();
    for (const row of table.between(definition, from, to)) {
      const start = row.start - ((row.start - from) % stepMs);
      const rows = byStep.get(start);
      if (rows === undefined) byStep.set(start, [row]);
      else rows.push(row);
    }
    return [...byStep].map(([start, rows]) => ({ start, ...sumOfWork(definition, rows) }));
  });
}

function sumOfWork(definition: string, all: readonly Work[]): Work {
  const counts = WORK_COUNTS.map((name) => [name, all.reduce((sum, work) => sum + work[name], 0)]);
  const times = WORK_TIMES.map((name) => [name, sumOf(all.map((work) => work[name]))]);
  return {
    definition,
    served: all.some(({ served }) => served),
    ...(Object.fromEntries(counts) as unknown as WorkCounts),
    ...(Object.fromEntries(times) as unknown as WorkTimes),
  };
}
