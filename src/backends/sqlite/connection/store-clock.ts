import type { Clock } from "../../../ports/runtime.js";
import { integer } from "../../shared/row.js";
import type { Statements } from "./statements.js";

/** Clock that decides about leases and expiry. */
export interface StoreClock {
  /** Returns the time of the current transaction or read. Epoch milliseconds. */
  now(): number;
  /** Called before each transaction and each read. The next call of `now` then reads the clock. */
  restart(): void;
}

// Works in every version of SQLite. The day 2440587.5 is the start of 1970.
const NOW = "select cast(round((julianday('now') - 2440587.5) * 86400000) as integer) as now";

/**
 * Creates the clock of a database: the clock of the machine, as SQLite reads it. All processes that share a file see the
 * same time, even if `Date` is replaced in one of them. `own` replaces this clock, for tests.
 */
export function createStoreClock(statements: Statements, own?: Clock): StoreClock {
  if (own !== undefined) return { now: () => own.now(), restart: () => {} };
  let time: number | undefined;
  return {
    now: () => {
      // A query costs microseconds, so all steps of a transaction share one.
      time ??= integer(statements.first(NOW) ?? {}, "now");
      return time;
    },
    restart: () => {
      time = undefined;
    },
  };
}
