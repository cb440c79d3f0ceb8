import { createMemoryBackend } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { declareJobRelease } from "../support/job-release.js";
import { createStage } from "../support/worker-stage.js";
import { reasonOf, runOrder, submitted } from "./stage.js";

describe("job.release in memory", () => {
  declareJobRelease((clock) => ({ backend: createMemoryBackend({ clock }), pass: async () => {} }));

  it.each([
    [0, "0"],
    [1_999, "1999"],
    [2_000.5, "2000.5"],
    [2 ** 31, "2147483648"],
    ["2000", '"2000"'],
    [null, "null"],
  ])("fails the attempt with a sentence if `afterMs` is %o", async (afterMs, shown) => {
    const { id, worker, read } = await submitted(createStage());
    const run = worker({ orders: (_, job) => job.release({ afterMs: afterMs as number }) });
    expect((await run.runUntilIdle()).retried).toBe(1);
    const operation = await read(id);
    expect(operation.attempt).toBe(1);
    expect(reasonOf(operation)).toMatchObject({
      detail:
        `INVALID_OPTION: Option \`afterMs\` of job.release is ${shown}. Pass whole milliseconds from 2000 to 2147483647, ` +
        "because each release costs the store two writes.",
    });
  });

  it("fails the attempt with a sentence if an option is misspelled", async () => {
    const { operation } = await runOrder((_, job) => job.release({ afterMS: 5_000 } as object));
    expect(reasonOf(operation).detail).toContain(
      "Unknown option `afterMS` of job.release. Did you mean `afterMs`?",
    );
  });

  it("has no effect if the processor catches what it throws", async () => {
    const { operation } = await runOrder((_, job) => {
      try {
        return job.release();
      } catch {
        return "went on";
      }
    });
    expect(operation).toMatchObject({ state: "completed", result: '"went on"' });
  });

  it("works without its job", async () => {
    const { worker } = await submitted(createStage());
    const run = worker({ orders: (_, { release }) => release() });
    expect((await run.runUntilIdle()).released).toBe(1);
  });
});
