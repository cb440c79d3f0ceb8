import { defineOperation, permanentFailure } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createStage, errorOf } from "../support/worker-stage.js";
import { failing, runOrder, submitted } from "./stage.js";

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const garbage: Readonly<Record<string, unknown>> = {
  "a BigInt": { amount: 1n },
  "a cycle": cyclic,
  "a function": () => {},
  "a function inside": { run: () => {} },
  "a symbol inside": [Symbol("s")],
  "NaN, which JSON would turn into null": { rate: Number.NaN },
  "an object whose toJSON throws": { toJSON: failing(new Error("no")) },
  "more than the limit": "x".repeat(65_536),
};

const REPORTS = { name: "reports", path: "/reports", result: z.object({ pages: z.number() }) } as const;

describe("a result", () => {
  it.each(Object.entries(garbage))("that is %s fails only its own operation", async (_, value) => {
    const { submit, read, worker } = createStage();
    const bad = await submit({ itemId: "bad", quantity: 1 });
    const good = await submit({ itemId: "good", quantity: 1 });
    await worker({ orders: ({ itemId }) => (itemId === "bad" ? value : "fine") }).runUntilIdle();
    const failed = await read(bad);
    expect(failed).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(failed).type).toBe(problemType("invalid-result"));
    expect(await read(good)).toMatchObject({ state: "completed", result: '"fine"' });
  });

  it("that is an error, which the processor should have thrown, fails the operation and says so", async () => {
    const { operation } = await runOrder(() => permanentFailure("The item is gone."));
    expect(errorOf(operation)).toMatchObject({
      type: problemType("invalid-result"),
      detail:
        "The result of the work cannot be stored: The processor returned the error PERMANENT_FAILURE. Throw it instead of returning it.",
    });
  });

  it("that violates the schema of results fails the operation", async () => {
    const reports = defineOperation({ ...REPORTS, input: z.object({ year: z.number() }) });
    const { id, read, worker } = await submitted(createStage([reports]), { year: 2026 });
    await worker({ reports: () => ({ pages: "many" as unknown as number }) }).runUntilIdle();
    const operation = await read(id);
    expect(errorOf(operation).type).toBe(problemType("invalid-result"));
    expect(errorOf(operation).detail).toContain("#/pages");
  });

  it("is stored as the output of the schema of results", async () => {
    const input = z.object({ year: z.string().transform(Number) });
    const reports = defineOperation({ ...REPORTS, input });
    const { id, read, worker } = await submitted(createStage([reports]), { year: "2026" });
    await worker({ reports: ({ year }) => ({ pages: year, internal: true }) }).runUntilIdle();
    expect(await read(id)).toMatchObject({ state: "completed", result: '{"pages":2026}' });
  });
});

describe("a stored input", () => {
  it("that a new version of the schema refuses fails the operation with a separate problem type", async () => {
    let current: z.ZodType = z.object({ year: z.number() });
    const input = z.unknown().superRefine((value, context) => {
      for (const issue of current.safeParse(value).error?.issues ?? [])
        context.addIssue({ ...issue, code: "custom" });
    });
    const reports = defineOperation({ name: "reports", path: "/reports", input });
    const { id, clock, read, worker } = await submitted(createStage([reports]), { year: 2026 });
    current = z.object({ month: z.number() });
    const strict = worker({ reports: () => "done" });
    for (let waits = 0; waits < 5; waits += 1) {
      await strict.runUntilIdle();
      await clock.advance(240_000);
    }
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation).type).toBe(problemType("input-refused"));
    expect(errorOf(operation).detail).toContain("#/month");
  });
});
