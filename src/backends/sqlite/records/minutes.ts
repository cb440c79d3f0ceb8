import type { KeptWork, MinutesTable, WorkKey } from "../../../engine/minutes.js";
import { HOUR_MS, MINUTE_MS } from "../../../ports/minutes-store.js";
import { integer, type Row, text } from "../../shared/row.js";
import { toWork, WORK_COLUMNS, workValues } from "../../shared/work-row.js";
import type { Statements } from "../connection/statements.js";

const COLUMNS = ["definition", "start", "span_ms", "process", "written_at", "served", ...WORK_COLUMNS];
const SAVE = `insert or replace into arr_minutes (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})`;
const BY_KEY = "where definition = ? and start = ? and span_ms = ? and process = ?";
const UNFOLDED = "select * from arr_minutes where process <> '' and written_at <= ? limit ?";
const FOLDED = "select * from arr_minutes where process = '' and span_ms = ? and start < ? limit ?";

/** Creates the table of minutes of a database. Every method runs within a transaction. */
export function createMinutesTable({ run, all, first }: Statements, now: () => number): MinutesTable {
  return {
    now,
    save: ({ served, ...row }, writtenAt) =>
      run(SAVE, ...keyValues(row), writtenAt, served ? 1 : 0, ...workValues(row)),
    find: (key) => {
      const row = first(`select * from arr_minutes ${BY_KEY}`, ...keyValues(key));
      return row && toKeptWork(row);
    },
    remove: (key) => run(`delete from arr_minutes ${BY_KEY}`, ...keyValues(key)),
    stale: ({ writtenAt, minute, hour }, limit) => {
      const rows: Row[] = [];
      const read = (sql: string, ...values: number[]): void => {
        if (rows.length < limit) rows.push(...all(sql, ...values, limit - rows.length));
      };
      read(UNFOLDED, writtenAt);
      read(FOLDED, MINUTE_MS, minute);
      read(FOLDED, HOUR_MS, hour);
      return rows.map(toKeptWork);
    },
    definitions: () =>
      all("select distinct definition from arr_minutes").map((row) => text(row, "definition")),
    between: (definition, from, to) =>
      all(
        "select * from arr_minutes where definition = ? and start >= ? and start < ?",
        definition,
        from,
        to,
      ).map(toKeptWork),
  };
}

function keyValues({ definition, start, spanMs, process }: WorkKey): [string, number, number, string] {
  return [definition, start, spanMs, process];
}

function toKeptWork(row: Row): KeptWork {
  const key = {
    start: integer(row, "start"),
    spanMs: integer(row, "span_ms"),
    process: text(row, "process"),
  };
  return { ...key, ...toWork(row) };
}
