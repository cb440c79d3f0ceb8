import type { MinuteRow, MinutesStore } from "async-request-reply/ports";
import type { MinutesBackend } from "async-request-reply/testing";
import { newRow } from "../../../src/testing/suites/minutes-store/fixtures.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";

const MINUTE_MS = 60_000;

function altering(
  create: (minutes: MinutesStore) => Partial<MinutesStore>,
): (backend: MinutesBackend) => Partial<MinutesBackend> {
  return ({ minutes }) => ({ minutes: { ...minutes, ...create(minutes) } });
}

/** Changes each row that is written. */
function writing(change: (row: MinuteRow, call: number) => MinuteRow): ReturnType<typeof altering> {
  return altering(({ write }) => {
    let calls = 0;
    return {
      write: (rows) => {
        calls += 1;
        return write(rows.map((row) => change(row, calls)));
      },
    };
  });
}

/** Counts rows again that calls fold at the same time. */
function foldingTwice({ fold, write }: MinutesStore): Pick<MinutesStore, "fold"> {
  let running = 0;
  return {
    fold: async (request) => {
      running += 1;
      const isAlone = running === 1;
      const count = await fold(request);
      if (!isAlone && count > 0) await write([newRow(Date.UTC(2026, 0), { accepted: count })]);
      running -= 1;
      return count;
    },
  };
}

/** Stores of minutes with a mistake. */
export const brokenMinutes: readonly BrokenPort<MinutesBackend>[] = named({
  "loses the longest durations": caughtBy(
    ["minutes.write.everything"],
    writing(({ waiting: { 202: _, ...waiting }, ...row }) => ({ ...row, waiting })),
  ),
  "adds rows that are written again": caughtBy(
    ["minutes.write.repeated", "minutes.fold.written"],
    writing((row, call) => ({ ...row, process: `${row.process}${call}` })),
  ),
  "keeps one row for all processes": caughtBy(
    [
      "minutes.write.many",
      "minutes.fold.sum",
      "minutes.fold.written",
      "minutes.fold.together",
      "minutes.fold.limit",
    ],
    writing((row) => ({ ...row, process: "1" })),
  ),
  "cannot write nothing": caughtBy(
    ["minutes.write.nothing"],
    altering(({ write }) => ({
      write: async (rows) => {
        if (rows.length === 0) throw new Error("There are no rows.");
        await write(rows);
      },
    })),
  ),
  "reads nothing unless definitions are named": caughtBy(
    ["minutes.read.all"],
    altering(({ read }) => ({
      read: ({ definitions = [], ...request }) => read({ ...request, definitions }),
    })),
  ),
  "reads the minute at the end of the range": caughtBy(
    ["minutes.read.range"],
    altering(({ read }) => ({ read: (request) => read({ ...request, to: request.to + MINUTE_MS }) })),
  ),
  "folds nothing": caughtBy(
    [
      "minutes.fold.sum",
      "minutes.fold.written",
      "minutes.fold.late",
      "minutes.fold.limit",
      "minutes.fold.hours",
    ],
    altering(() => ({ fold: async () => 0 })),
  ),
  "counts rows twice that two calls fold": caughtBy(["minutes.fold.together"], altering(foldingTwice)),
});
