import {
  FOLD_AFTER_MS,
  HOUR_MS,
  HOURS_KEPT_MS,
  MINUTE_MS,
  MINUTES_KEPT_MS,
} from "../../../ports/minutes-store.js";
import { deepEqual, equal } from "../../expect.js";
import { concurrently } from "../port-case.js";
import {
  ALL,
  currentMinute,
  expectAccepted,
  type MinutesStoreCheck,
  newRow,
  readAround,
} from "./fixtures.js";

export const foldingChecks: readonly MinutesStoreCheck[] = [
  {
    rule: "minutes.fold.sum",
    name: "folds the rows of all processes, and what is read stays the same",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      await backend.minutes.write([
        newRow(minute, { accepted: 1, lost: 1, waiting: { 3: 1 }, total: { 7: 1 } }),
        newRow(minute, { accepted: 2, served: true, waiting: { 3: 1, 4: 1 } }),
        newRow(minute + MINUTE_MS, { accepted: 4 }),
        newRow(minute, { accepted: 8, definition: "reports" }),
      ]);
      const before = await readAround(backend, minute);
      equal(await backend.minutes.fold(ALL), 0, "the number of folded rows before their time");
      await time.pass(FOLD_AFTER_MS + time.unitMs);
      equal(await backend.minutes.fold(ALL), 4, "the number of folded rows");
      equal(await backend.minutes.fold(ALL), 0, "the number of folded rows in a second call");
      deepEqual(await readAround(backend, minute), before, "what is read after it");
    },
  },
  {
    rule: "minutes.fold.written",
    name: "leaves rows alone that were written within 2 minutes, also those of earlier minutes",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      const [late, early] = [newRow(minute, { accepted: 1 }), newRow(minute, { accepted: 10 })];
      await backend.minutes.write([early, late]);
      await time.pass(FOLD_AFTER_MS - time.unitMs);
      await backend.minutes.write([{ ...late, accepted: 2 }, newRow(minute - HOUR_MS, { accepted: 100 })]);
      await time.pass(2 * time.unitMs);
      equal(await backend.minutes.fold(ALL), 1, "the number of folded rows");
      await backend.minutes.write([{ ...late, accepted: 3 }]);
      await expectAccepted(backend, minute, 113, "after another write");
    },
  },
  {
    rule: "minutes.fold.late",
    name: "adds rows that come later to a sum",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      for (const accepted of [1, 2, 4]) {
        await backend.minutes.write([newRow(minute, { accepted, running: { 1: accepted } })]);
        await time.pass(FOLD_AFTER_MS + time.unitMs);
        equal(await backend.minutes.fold(ALL), 1, "the number of folded rows");
      }
      const [step] = await readAround(backend, minute);
      deepEqual([step?.accepted, step?.running], [7, { 1: 7 }], "the sum");
    },
  },
  {
    rule: "minutes.fold.together",
    name: "counts rows once when several calls fold them at once",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      const rows = Array.from({ length: 40 }, (_, index) =>
        newRow(minute + (index % 4) * MINUTE_MS, { accepted: 1 }),
      );
      await backend.minutes.write(rows);
      await time.pass(FOLD_AFTER_MS + time.unitMs);
      await concurrently(6, () => backend.minutes.fold({ limit: 7 }));
      await expectAccepted(backend, minute, 40, "while some are folded");
      const counts = await concurrently(6, () => backend.minutes.fold(ALL));
      counts.push(await backend.minutes.fold(ALL));
      await expectAccepted(backend, minute, 40, "when all are folded");
      equal(await backend.minutes.fold(ALL), 0, "the number of rows that are left");
    },
  },
  {
    rule: "minutes.fold.limit",
    name: "folds at most as many rows as asked for",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      await backend.minutes.write([1, 2, 4, 8, 16].map((accepted) => newRow(minute, { accepted })));
      await time.pass(FOLD_AFTER_MS + time.unitMs);
      equal(await backend.minutes.fold({ limit: 2 }), 2, "the rows of the first call");
      await expectAccepted(backend, minute, 31, "after it");
      equal(await backend.minutes.fold({ limit: 3 }), 3, "the rows of the second call");
      await expectAccepted(backend, minute, 31, "at the end");
    },
  },
  {
    rule: "minutes.fold.hours",
    name: "keeps minutes for 7 days, then hours until they are 90 days old",
    needs: ["skipsTime"],
    check: async (backend, time) => {
      const minute = await currentMinute(backend);
      const hour = minute - (minute % HOUR_MS);
      const rows = [1, 2, 4].map((accepted, index) =>
        newRow(hour + index * MINUTE_MS, { accepted, served: index === 1, total: { [index]: 1 } }),
      );
      await backend.minutes.write([...rows, newRow(hour + HOUR_MS, { accepted: 8 })]);
      await time.pass(MINUTES_KEPT_MS - HOUR_MS);
      await backend.minutes.fold(ALL);
      equal((await readAround(backend, minute)).length, 4, "the number of minutes before 7 days");
      await time.pass(4 * HOUR_MS);
      await backend.minutes.fold(ALL);
      const [first, second, ...rest] = await readAround(backend, minute);
      deepEqual([first?.start, first?.accepted, first?.served], [hour, 7, true], "the first hour");
      deepEqual(first?.total, { 0: 1, 1: 1, 2: 1 }, "the histogram of the first hour");
      deepEqual([second?.start, second?.accepted], [hour + HOUR_MS, 8], "the second hour");
      equal(rest.length, 0, "the number of other steps");
      await time.pass(HOURS_KEPT_MS - MINUTES_KEPT_MS - 6 * HOUR_MS);
      await backend.minutes.fold(ALL);
      await expectAccepted(backend, minute, 15, "before 90 days");
      await time.pass(6 * HOUR_MS);
      await backend.minutes.fold(ALL);
      deepEqual(await readAround(backend, minute), [], "what is left after 90 days");
      equal(await backend.minutes.fold(ALL), 0, "the number of rows that are left");
    },
  },
];
