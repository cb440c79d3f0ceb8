import { HOUR_MS, MINUTE_MS } from "../../../ports/minutes-store.js";
import { deepEqual, equal } from "../../expect.js";
import { currentMinute, expectAccepted, type MinutesStoreCheck, newRow, readAround } from "./fixtures.js";

export const writingChecks: readonly MinutesStoreCheck[] = [
  {
    rule: "minutes.write.everything",
    name: "keeps every count and every bucket",
    check: async (backend) => {
      const minute = await currentMinute(backend);
      const { process, ...row } = newRow(minute, {
        served: true,
        ...{
          accepted: 1,
          started: 2,
          completed: 3,
          failed: 4,
          cancelled: 5,
          retried: 6,
          lost: 7,
          refused: 8,
        },
        waiting: { 0: 1, 202: 3_000_000_000 },
        running: { 17: 2 },
        total: { 9: 1, 100: 4 },
      });
      await backend.minutes.write([{ process, ...row }]);
      const { minute: start, ...work } = row;
      deepEqual(await readAround(backend, minute), [{ start, ...work }], "what was written");
    },
  },
  {
    rule: "minutes.write.repeated",
    name: "counts nothing twice when a call is repeated, and replaces what a process has written before",
    check: async (backend) => {
      const minute = await currentMinute(backend);
      const row = newRow(minute, { accepted: 3, total: { 5: 3 } });
      await backend.minutes.write([row]);
      await backend.minutes.write([row]);
      await expectAccepted(backend, minute, 3, "after a repeated call");
      await backend.minutes.write([{ ...row, accepted: 4, served: true, total: { 5: 3, 6: 1 } }]);
      const [step] = await readAround(backend, minute);
      equal(step?.accepted, 4, "the accepted operations");
      equal(step?.served, true, "whether it was served");
      deepEqual(step?.total, { 5: 3, 6: 1 }, "the histogram");
    },
  },
  {
    rule: "minutes.read.all",
    name: "reads all definitions if none are named",
    check: async (backend) => {
      const minute = await currentMinute(backend);
      await backend.minutes.write([newRow(minute, {}), newRow(minute, { definition: "reports" })]);
      const steps = await backend.minutes.read({ from: minute, to: minute + MINUTE_MS, stepMs: MINUTE_MS });
      deepEqual(steps.map(({ definition }) => definition).sort(), ["orders", "reports"], "the definitions");
    },
  },
  {
    rule: "minutes.write.many",
    name: "adds up processes, and keeps minutes and definitions apart",
    check: async (backend) => {
      const minute = await currentMinute(backend);
      const next = minute + MINUTE_MS;
      await backend.minutes.write([
        newRow(minute, { accepted: 1, waiting: { 3: 1 } }),
        newRow(next, { accepted: 4 }),
        newRow(minute, { accepted: 8, definition: "reports" }),
      ]);
      await backend.minutes.write([newRow(minute, { accepted: 2, served: true, waiting: { 3: 1, 4: 1 } })]);
      const [first, second, ...rest] = await readAround(backend, minute);
      deepEqual([first?.start, first?.accepted, first?.served], [minute, 3, true], "the first minute");
      deepEqual(first?.waiting, { 3: 2, 4: 1 }, "the histogram of the first minute");
      deepEqual([second?.start, second?.accepted, second?.served], [next, 4, false], "the second minute");
      equal(rest.length, 0, "the number of other minutes");
      const [report] = await readAround(backend, minute, MINUTE_MS, "reports");
      equal(report?.accepted, 8, "the accepted operations of the other definition");
    },
  },
  {
    rule: "minutes.write.nothing",
    name: "accepts no rows, and reads no definitions",
    check: async ({ minutes }) => {
      await minutes.write([]);
      const range = { from: 0, to: HOUR_MS, stepMs: MINUTE_MS };
      deepEqual(await minutes.read({ definitions: [], ...range }), [], "the steps");
    },
  },
  {
    rule: "minutes.read.range",
    name: "reads the minutes of a range, without the one at its end, in steps of which the first begins with it",
    check: async (backend) => {
      const minute = await currentMinute(backend);
      const hour = minute - (minute % HOUR_MS);
      const rows = [0, 1, 58, 59, 60, 61].map((index) =>
        newRow(hour + index * MINUTE_MS, { accepted: 10 ** (index % 7) }),
      );
      await backend.minutes.write(rows);
      const read = async (from: number, to: number, stepMs: number) => {
        const steps = await backend.minutes.read({ definitions: ["orders"], from, to, stepMs });
        const sorted = [...steps].sort((one, other) => one.start - other.start);
        return sorted.map(({ start, accepted }) => [start, accepted]);
      };
      const sums = rows.map(({ accepted }) => accepted);
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = sums;
      const end = hour + 2 * HOUR_MS;
      deepEqual(
        await read(hour, end, HOUR_MS),
        [
          [hour, a + b + c + d],
          [hour + HOUR_MS, e + f],
        ],
        "the hours",
      );
      deepEqual(
        await read(hour + MINUTE_MS, hour + HOUR_MS, 2 * MINUTE_MS),
        [
          [hour + MINUTE_MS, b],
          [hour + 57 * MINUTE_MS, c],
          [hour + 59 * MINUTE_MS, d],
        ],
        "steps of two minutes in a part of the first hour",
      );
    },
  },
];
