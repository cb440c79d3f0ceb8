import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { existing } from "../support/operator/stage.js";

const input = z.object({ file: z.string() });
const importsOf = defineOperation({
  name: "imports",
  path: "/imports",
  input,
  checkpoint: z.object({ line: z.int() }),
});
const answers = defineOperation({ name: "answers", path: "/answers", input, chunk: z.string() });

/** A worker whose imports are refused after two lines, until they are mended. */
function createStage(backend: Backend = createMemoryBackend()) {
  const definitions = [importsOf, answers] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const operator = createOperator({ backend, definitions, observe: false });
  const attempts: { readonly id: string; readonly from: number }[] = [];
  let last = 2;
  const worker = createWorker(service, {
    imports: async (_, job) => {
      const from = job.resumed?.line ?? 0;
      attempts.push({ id: job.operationId, from });
      for (let line = from + 1; line <= last; line += 1) await job.checkpoint({ line });
      if (last === 2) throw permanentFailure("Line 3 is broken.");
    },
    answers: () => {
      throw permanentFailure("No.");
    },
  });
  return {
    operator,
    attempts,
    work: () => worker.runUntilIdle(),
    mend: () => {
      last = 4;
    },
    fail: async (definition: typeof importsOf | typeof answers = importsOf) => {
      const { operationId } = await service.submit(definition, { file: "a" }, { tenant: "a" });
      await worker.runUntilIdle();
      return operationId;
    },
  };
}

describe("a redrive that keeps the checkpoint", () => {
  it("continues the work in a new operation", async () => {
    const { operator, attempts, work, mend, fail } = createStage();
    const failed = await fail();
    mend();
    const { operation } = await operator.redrive(failed, { keepCheckpoint: true });
    await work();
    const id = operation?.operationId ?? "";
    expect(attempts).toEqual([
      { id: failed, from: 0 },
      { id, from: 2 },
    ]);
    expect(await existing(operator.get(id))).toMatchObject({ status: "completed", retryOf: failed });
  });

  it("starts over without the option", async () => {
    const { operator, attempts, work, fail } = createStage();
    await operator.redrive(await fail());
    await work();
    expect(attempts.map(({ from }) => from)).toEqual([0, 0]);
  });

  it("can be one of many", async () => {
    const { operator, attempts, work, mend, fail } = createStage();
    for (const _ of [1, 2]) await fail();
    mend();
    const run = await operator.redrive({ definition: "imports" }, { keepCheckpoint: true, perSecond: 1_000 });
    expect(run).toEqual({ redriven: 2, skipped: 0 });
    await work();
    expect(attempts.map(({ from }) => from)).toEqual([0, 0, 2, 2]);
  });

  it("is refused for a definition with `chunk`, and changes nothing", async () => {
    const { operator, fail } = createStage();
    const failed = await fail(answers);
    await expect(operator.redrive(failed, { keepCheckpoint: true })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        'Option `keepCheckpoint` is for definitions without `chunk`, and "answers" has one: its new operation would lack the ' +
        "chunks before the checkpoint. Leave the option out: the work starts over.",
    });
    expect((await existing(operator.get(failed))).retriedBy).toBeUndefined();
  });

  it.each([
    [
      { definition: "answers" } as const,
      'and "answers" has one: its new operation would lack the chunks before the checkpoint. Leave the option out: the work starts over.',
    ],
    [
      { tenant: "a" },
      'and "answers" has one: its new operation would lack the chunks before the checkpoint. Leave the option out, or name the ' +
        "`definition` in the filter.",
    ],
  ])("is refused for a filter that matches such a definition: %j", async (filter, advice) => {
    const { operator } = createStage();
    const detail = `Option \`keepCheckpoint\` is for definitions without \`chunk\`, ${advice}`;
    const redrive = operator.redrive(filter, { keepCheckpoint: true });
    await expect(redrive).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it("is refused if the back end keeps no checkpoints", async () => {
    const { output: _, ...backend } = createMemoryBackend();
    const operator = createOperator({ backend, definitions: [importsOf], observe: false });
    await expect(operator.redrive({ definition: "imports" }, { keepCheckpoint: true })).rejects.toMatchObject(
      {
        code: "INVALID_OPTION",
        detail:
          "Option `keepCheckpoint` needs a back end with `output`, which this one lacks. Leave the option out: the work starts over.",
      },
    );
  });
});
