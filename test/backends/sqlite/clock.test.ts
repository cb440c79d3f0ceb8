import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { claimOne } from "../../support/claims.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

const TEN_MINUTES_MS = 600_000;

describeFile("the clock of an SQLite file", (file) => {
  const { id } = newSubmission(1).operation;

  it("is the clock of the machine, even if `Date` is ten minutes fast in one process (F10)", async () => {
    const { submissions, operations } = file.open();
    await submissions.record(newSubmission(1));
    expect((await operations.get(id, "tenant"))?.createdAt).toBeCloseTo(Date.now(), -4);
    await claimOne(operations, id, { token: "first", leaseMs: 60_000 });
    const now = vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + TEN_MINUTES_MS);
    onTestFinished(() => now.mockRestore());
    const other = file.open().operations;
    expect(await claimOne(other, id, { token: "second", leaseMs: 60_000 })).toBeUndefined();
  });

  it("loses and repeats nothing that has ended if it steps forward and back (F10)", async () => {
    const clock = createManualClock();
    const { submissions, operations } = file.open({ runtime: { clock } });
    await submissions.record(newSubmission(1));
    await claimOne(operations, id, { token: "first", leaseMs: 60_000 });
    await clock.jump(TEN_MINUTES_MS);
    expect(await claimOne(operations, id, { token: "second", leaseMs: 60_000 })).toMatchObject({
      previousLost: true,
    });
    await clock.jump(-TEN_MINUTES_MS);
    const settle = (token: string) => operations.settle({ operationId: id, token }, { to: "completed" });
    expect(await settle("first")).toEqual({ outcome: "lost" });
    expect(await settle("second")).toEqual({ outcome: "settled", state: "completed" });
  });
});
