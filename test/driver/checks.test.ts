import type { Operation } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { checkEnds } from "./check-ends.js";
import { checkLosses } from "./check-losses.js";
import { checkPlaces } from "./check-places.js";
import { checkSteps } from "./check-steps.js";
import { checkWaits } from "./check-waits.js";
import type { History } from "./history.js";
import type { Line } from "./ledger.js";
import { whenMoreThan, without } from "./spans.js";

type Story = Omit<Line, "process"> & { readonly process?: string };

function operation(id: string, members: Partial<Operation> = {}): Operation {
  const times = { createdAt: 0, settledAt: 90_000 };
  const plain = { tenant: "a", definition: "limited", input: "null", retentionMs: 1, attempt: 1 } as const;
  return { id, ...plain, state: "completed", ...times, ...members };
}

function historyOf(lines: readonly Story[], ...operations: readonly Operation[]): History {
  const started = { at: 0, process: "p1", what: "started", role: "worker" } as const;
  return {
    lines: [started, ...lines.map((line) => ({ process: "p1", ...line }) as Line)],
    operations: new Map(operations.map((each) => [each.id, each])),
    end: 100_000,
    leaseMs: 1_500,
  };
}

function recorded(operationId: string, at: number, members: object = {}): Story {
  const plain = { submission: "1", replayed: false, kind: "limited", tenant: "a", delayMs: 0 };
  return { at, what: "recorded", operationId, ...plain, ...members } as Story;
}

function ran(operationId: string, from: number, to: number, process = "p1"): readonly Story[] {
  return [
    { at: from, process, what: "begun", operationId, attempt: 1 } as Story,
    { at: to, process, what: "left", operationId, attempt: 1 } as Story,
    { at: to, process, what: "operation.completed", operationId, attempt: 1 } as Story,
  ];
}

const inOrder = (stories: readonly Story[]): Story[] => [...stories].sort((one, other) => one.at - other.at);

describe("spans", () => {
  it("say when more than a number of them overlap", () => {
    const spans = [
      { from: 0, to: 10 },
      { from: 5, to: 20 },
      { from: 10, to: 15 },
    ];
    expect(whenMoreThan(1, spans)).toEqual([
      { from: 5, to: 10 },
      { from: 10, to: 15 },
    ]);
    expect(whenMoreThan(2, spans)).toEqual([]);
  });

  it("leave out what others touch", () => {
    const others = [
      { from: -5, to: 2 },
      { from: 4, to: 6 },
      { from: 5, to: 7 },
    ];
    expect(without({ from: 0, to: 10 }, others)).toEqual([
      { from: 2, to: 4 },
      { from: 7, to: 10 },
    ]);
  });
});

describe("the checks of the driver", () => {
  it("find an operation that is lost, unfinished, or should not exist, and a key with two", () => {
    const lines = [
      recorded("a", 1, { key: "k" }),
      recorded("b", 2, { key: "k" }),
      recorded("c", 3),
      { at: 4, what: "rolled back", operationId: "d" } as Story,
    ];
    const history = historyOf(lines, operation("a"), operation("b"), operation("d", { state: "pending" }));
    expect(checkLosses(history)).toEqual([
      "key a limited k belongs to a and to b",
      "c was recorded and is lost",
      "d was rolled back and exists",
      "d of limited is still pending",
    ]);
  });

  it("find a limit that is exceeded, unless the lease of one may have been lost", () => {
    const ids = ["a", "b", "c", "d"];
    const attempts = ids.flatMap((id, index) => ran(id, 10 * index, 1_000, index === 3 ? "p2" : "p1"));
    const operations = ids.map((id) => operation(id));
    expect(checkPlaces(historyOf(inOrder(attempts), ...operations))).toEqual([
      expect.stringMatching(/^limit 3 of limited was exceeded for 970 ms at 30, by a in p1, b in p1/),
    ]);
    const frozen = [...attempts, { at: 25, what: "frozen" } as Story];
    expect(checkPlaces(historyOf(inOrder(frozen), ...operations))).toEqual([]);
  });

  it("count an attempt for as long as its lease, which a slow store might not have extended", () => {
    const lane = { definition: "laned", lane: "1" };
    const operations = ["a", "b"].map((id) => operation(id, lane));
    const [begun, ...rest] = ran("a", 10, 5_000);
    const late = [{ ...begun, leasedAt: 5 } as Story, ...rest, ...ran("b", 2_000, 3_000, "p2")];
    expect(checkPlaces(historyOf(inOrder(late), ...operations))).toEqual([]);
    const renewed = { at: 1_010, what: "renewed", operationId: "a", leasedAt: 1_000 } as Story;
    expect(checkPlaces(historyOf(inOrder([...late, renewed]), ...operations))).toEqual([
      expect.stringMatching(/^lane 1 of laned was exceeded for 500 ms at 2000, by a in p1, b in p2/),
    ]);
  });

  it("find work that is claimed after its operation has ended", () => {
    const late = ran("a", 700, 900).map((line) => ({ leasedAt: 600, ...line }));
    expect(checkEnds(historyOf(late, operation("a", { settledAt: 500 })))).toEqual([
      "a began in p1 100 ms after it was completed",
    ]);
    expect(checkEnds(historyOf(late, operation("a", { settledAt: 560 })))).toEqual([]);
  });

  it("find operations of a lane that run at once, or out of order", () => {
    const lane = { definition: "laned", lane: "1" };
    const first = operation("a", { ...lane, settledAt: 500 });
    const second = operation("b", { ...lane, createdAt: 5 });
    const accepted = [
      { at: 1, what: "sent", submission: "1" } as Story,
      recorded("a", 2, { submission: "1" }),
      { at: 3, what: "sent", submission: "2" } as Story,
      recorded("b", 6, { submission: "2" }),
    ];
    const early = inOrder([...accepted, ...ran("a", 10, 400), ...ran("b", 450, 600)]);
    expect(checkPlaces(historyOf(early, first, second))).toEqual([
      "b of lane 1 of laned began before a had ended",
    ]);
    const atOnce = inOrder([...ran("a", 10, 500), ...ran("b", 300, 600)]);
    expect(checkPlaces(historyOf(atOnce, first, second))).toEqual([
      expect.stringMatching(/^lane 1 of laned was exceeded for 200 ms at 300, by a in p1, b in p1/),
    ]);
  });

  it("find a build whose processes do nothing while they run, alone or beside another", () => {
    const step = (at: number, ...builds: readonly string[]): Story =>
      ({ at, process: "driver", what: "step", builds }) as Story;
    const works = (process: string, at: number): readonly Story[] => [
      { ...recorded("a", at), process },
      ...ran("a", at + 1, at + 2, process),
    ];
    const begins = step(0, "old", "old");
    const mixed = [step(10, "next", "old"), step(20, "next", "next", "old")];
    const lines = [begins, ...works("old2", 1), ...mixed, ...works("old2", 11), ...works("next3", 21)];
    expect(checkSteps(historyOf(lines))).toEqual([]);
    expect(checkSteps(historyOf([...lines, step(30, "old", "old")]))).toEqual([
      "old has recorded nothing while old ran, from 30",
      "old has begun nothing while old ran, from 30",
    ]);
    expect(checkSteps(historyOf([begins, ...works("old2", 1), ...mixed, ...works("old2", 21)]))).toEqual([
      "next has recorded nothing while next and old ran, from 10",
      "next has begun nothing while next and old ran, from 10",
    ]);
  });

  it("find work that stands still, unless it could not begin", () => {
    const late = [recorded("a", 100), ...ran("a", 5_100, 5_200)];
    const stands = [expect.stringMatching(/^a of limited, tenant a, lane -, stood still for 5000 ms/)];
    expect(checkWaits(historyOf(late, operation("a")), 3_000)).toEqual(stands);
    const others = ["b", "c", "d"].flatMap((id) => ran(id, 50, 4_000));
    const reasons: readonly (readonly Story[])[] = [
      others,
      [
        { at: 50, what: "pausing", kind: "limited" } as Story,
        { at: 4_000, what: "resumed", kind: "limited" } as Story,
      ],
      [{ at: 3_000, process: "p2", what: "killed" } as Story],
      [{ at: 3_000, what: "lag", since: 2_000 } as Story],
      [{ at: 2_900, what: "claimed", full: true } as Story],
    ];
    const operations = ["a", "b", "c", "d"].map((id) => operation(id));
    const claimed = [2_900, 4_000].map((at) => ({ at, what: "claimed", full: false }) as Story);
    expect(checkWaits(historyOf(inOrder([...late, ...claimed]), ...operations), 3_000)).toEqual(stands);
    for (const reason of reasons)
      expect(checkWaits(historyOf(inOrder([...late, ...reason]), ...operations), 3_000)).toEqual([]);
  });
});
