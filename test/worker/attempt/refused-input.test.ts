import { defineOperation, type ServiceEvent } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createStage, errorOf } from "../../support/worker-stage.js";
import { failing, submitted } from "../stage.js";

const MINUTE_MS = 60_000;
let accepts = true;
/** A schema whose answer changes, like the schemas of two releases. */
const input = z.object({ title: z.string() }).refine(() => accepts, "is no longer accepted");
const reports = defineOperation({ name: "reports", path: "/reports", input });

/** A stage with an operation that the schema of the service accepted. */
function accepted() {
  accepts = true;
  return submitted(createStage([reports]), { title: "a" });
}

const delayOf = (event?: ServiceEvent): number =>
  event?.event === "operation.retried" ? event.delayMs : Number.NaN;

describe("an operation whose stored input the schema of this worker refuses", () => {
  it("waits for a newer worker without using up attempts", async () => {
    const stage = await accepted();
    const worker = stage.worker({ reports: ({ title }) => title }, { maxAttempts: 1 });
    accepts = false;
    await worker.runUntilIdle();
    const waiting = await stage.read(stage.id);
    expect(waiting).toMatchObject({ state: "pending", attempt: 0 });
    // The worker that refuses may be the newer one.
    expect(waiting.lastError).toContain(
      "The schema of a worker refused the stored input. Another worker may accept it.",
    );
    const error = { code: "INPUT_REFUSED" };
    expect(stage.events.at(-1)).toMatchObject({ event: "operation.retried", delayMs: 30_000, error });
    await stage.clock.advance(29_999);
    accepts = true;
    await worker.runUntilIdle();
    expect((await stage.read(stage.id)).state).toBe("pending");
    await stage.clock.advance(1);
    await worker.runUntilIdle();
    expect(await stage.read(stage.id)).toMatchObject({ state: "completed", attempt: 1, result: '"a"' });
  });

  it("fails after more than 7 minutes, with each delay twice as long as the one before", async () => {
    const stage = await accepted();
    const worker = stage.worker({ reports: () => {} });
    accepts = false;
    const waits: number[] = [];
    let waited = 0;
    await worker.runUntilIdle();
    while ((await stage.read(stage.id)).state === "pending") {
      const delayMs = delayOf(stage.events.at(-1));
      waits.push(delayMs);
      waited += delayMs;
      await stage.clock.advance(delayMs);
      await worker.runUntilIdle();
    }
    expect(waits).toEqual([30_000, MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS]);
    expect(waited).toBeGreaterThan(7 * MINUTE_MS);
    expect(errorOf(await stage.read(stage.id)).type).toBe(problemType("input-refused"));
  });

  it("restarts the count of refusals after any other error", async () => {
    const stage = await accepted();
    const worker = stage.worker({ reports: failing(new Error("out of paper")) });
    const delays: number[] = [];
    for (const next of [false, false, true, false]) {
      accepts = next;
      await worker.runUntilIdle();
      const delayMs = delayOf(stage.events.at(-1));
      delays.push(delayMs);
      await stage.clock.advance(delayMs);
    }
    expect(delays).toEqual([30_000, MINUTE_MS, expect.any(Number), 30_000]);
    expect((await stage.read(stage.id)).attempt).toBe(1);
  });
});
