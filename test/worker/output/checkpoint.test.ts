import { createService, createWorker, defineOperation, retryLater } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { errorOf, signalOf } from "../../support/worker-stage.js";
import { reasonOf } from "../stage.js";
import { type Answer, answers, outputStage } from "./stage.js";

const failing = async (): Promise<never> => {
  throw retryLater({ afterMs: 0 });
};

describe("job.checkpoint", () => {
  it("lets the next attempt continue, without what was written after it", async () => {
    const { work, output } = await outputStage();
    const seen: unknown[] = [];
    await work(async (_, job) => {
      seen.push(job.resumed, await output());
      if (job.resumed !== undefined) return job.write("c");
      await job.write("a");
      await job.checkpoint({ next: 1 });
      await job.write("b");
      return failing();
    });
    expect(seen).toEqual([undefined, [], { next: 1 }, ["a"]]);
    expect(await output()).toEqual(["a", "c"]);
  });

  it("is stored together with what was written before it, and not with what is written later", async () => {
    const schema = z.object({ next: z.int() });
    const checked = signalOf();
    const { work, output, appends } = await outputStage();
    const slow = vi.spyOn(answers.checkpoint["~standard"], "validate").mockImplementation(async (value) => {
      await checked.promise;
      return schema["~standard"].validate(value);
    });
    await work(async (_, job) => {
      if (job.resumed !== undefined) return;
      void job.write("a");
      const saving = job.checkpoint({ next: 1 });
      void job.write("b");
      checked.resolve();
      await saving;
      await failing();
    });
    slow.mockRestore();
    const saved = appends.find(({ checkpoint }) => checkpoint !== undefined);
    expect(saved).toMatchObject({ checkpoint: { value: '{"next":1}', number: 1 } });
    expect((saved?.from ?? 0) + (saved?.chunks.length ?? 0)).toBe(1);
    expect(await output()).toEqual(["a"]);
  });

  it("starts the count of attempts again, also for the backoff, but not `job.attempt`", async () => {
    const { worker, read, id, events, clock } = await outputStage();
    const attempts: number[] = [];
    const run: Answer = async (_, job) => {
      attempts.push(job.attempt);
      if (job.attempt <= 3) await job.checkpoint({ next: job.attempt });
      throw new Error("no");
    };
    const running = worker({ answers: run }, { maxAttempts: 2, backoff: { baseMs: 1_000, maxMs: 60_000 } });
    for (let turn = 0; turn < 6; turn += 1) {
      await running.runUntilIdle();
      await clock.advance(60_000);
    }
    // Attempt 3 was the first since its checkpoint, and attempt 4 the second.
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(errorOf(await read(id)).type).toBe(problemType("attempts-exhausted"));
    const delays = events.flatMap((each) => (each.event === "operation.retried" ? [each.delayMs] : []));
    expect(delays).toEqual([500, 500, 500]);
  });

  it("ends an operation that was lost too often since its checkpoint, and not before", async () => {
    const { work, lose, clock, id, read } = await outputStage();
    const save: Answer = async (_, job) => {
      await job.checkpoint({ next: 1 });
      return failing();
    };
    for (const _ of [1, 2]) {
      await lose(id);
      await clock.advance(60_000);
    }
    // The third attempt saves, the fourth is lost, and the fifth is the third since the checkpoint.
    await work(async (input, job) => (job.attempt === 3 ? save(input, job) : job.release()), {
      maxAttempts: 3,
    });
    await clock.advance(60_000);
    await lose(id);
    await clock.advance(60_000);
    await work(() => "done", { maxAttempts: 3 });
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 5 });
  });

  it("releases the operation while the worker stops, and the next worker continues at once", async () => {
    const { worker, read, id, output } = await outputStage();
    const [begun, go] = [signalOf(), signalOf()];
    const caught: unknown[] = [];
    const run: Answer = async (_, job) => {
      if (job.resumed !== undefined) return job.write(`from ${job.resumed.next}`);
      begun.resolve();
      await go.promise;
      await job.write("a");
      await job.checkpoint({ next: 1 }).catch((error: unknown) => {
        caught.push(error);
        throw error;
      });
    };
    const first = worker({ answers: run });
    await first.start();
    await begun.promise;
    const stopping = first.stop();
    go.resolve();
    await stopping;
    expect(caught).toMatchObject([{ code: "WORKER_STOPPED" }]);
    const released = await read(id);
    expect(released).toMatchObject({ state: "pending", attempt: 0 });
    expect(released.lastError).toBeUndefined();
    expect(await worker({ answers: run }).runUntilIdle()).toMatchObject({ completed: 1 });
    expect(await output()).toEqual(["a", "from 1"]);
  });

  it("releases the operation near the end of a run, and leaves it to the next run", async () => {
    const { worker, clock, output } = await outputStage();
    const saved = signalOf();
    let turns = 0;
    const running = worker({
      answers: async (_, job) => {
        for (let next = job.resumed?.next ?? 0; next < 4; next += 1) {
          turns += 1;
          await job.write(String(next));
          if (next === 1) await saved.promise;
          await job.checkpoint({ next: next + 1 });
        }
      },
    });
    const first = running.runFor({ maxMs: 100_000 });
    await vi.waitUntil(() => turns === 2);
    await clock.advance(90_000);
    saved.resolve();
    expect(await first).toMatchObject({ released: 1, completed: 0, idle: false });
    expect(turns).toBe(2);
    expect(await running.runFor({ maxMs: 100_000 })).toMatchObject({ completed: 1, idle: true });
    expect(await output()).toEqual(["0", "1", "2", "3"]);
  });

  it("waits for a newer worker if the schema refuses the stored one", async () => {
    const stage = await outputStage();
    await stage.work(async (_, job) => {
      await job.checkpoint({ next: 1 });
      throw retryLater({ afterMs: 1_000 });
    });
    await stage.clock.advance(1_000);
    const strict = vi
      .spyOn(answers.checkpoint["~standard"], "validate")
      .mockImplementation(() => ({ issues: [{ message: "secret", path: ["next"] }] }));
    let called = false;
    const call = (): void => {
      called = true;
    };
    await stage.work(call);
    const waiting = await stage.read(stage.id);
    expect(waiting).toMatchObject({ state: "pending", attempt: 1 });
    expect(reasonOf(waiting)).toMatchObject({ type: problemType("input-refused"), refusals: 1 });
    for (const waitMs of [30_000, 60_000, 120_000, 240_000]) {
      await stage.clock.advance(waitMs);
      await stage.work(call);
    }
    strict.mockRestore();
    expect(called).toBe(false);
    const failed = errorOf(await stage.read(stage.id));
    expect(failed.type).toBe(problemType("input-refused"));
    expect(failed.detail).toBe(
      "The contract has changed since this was submitted: its last checkpoint is not one of the current contract.",
    );
  });

  it("fails the operation if the value is invalid", async () => {
    const { work, read, id } = await outputStage();
    await work((_, job) => job.checkpoint({ next: "x" } as never).catch(() => {}));
    const error = errorOf(await read(id));
    expect(error.type).toBe(problemType("invalid-result"));
    expect(error.detail).toContain("a checkpoint: #/next ");
  });

  it("fails the attempt if it is not awaited", async () => {
    const { work, read, id } = await outputStage();
    await work((_, job) => void job.checkpoint({ next: 1 }), { maxAttempts: 1 });
    expect(reasonOf(await read(id)).detail).toContain("`job.checkpoint` was still in progress");
  });

  it("takes no function on a back end that shares no transactions", async () => {
    const { work, read, id } = await outputStage();
    await work((_, job) =>
      (job.checkpoint as (value: unknown, work: () => void) => Promise<void>)({ next: 1 }, () => {}),
    );
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(await read(id)).detail).toBe("This service cannot do the work.");
  });

  it("works without output", async () => {
    const imports = defineOperation({
      name: "imports",
      path: "/imports",
      input: z.unknown(),
      checkpoint: z.int(),
    });
    const service = createService({ definitions: [imports], observe: false });
    const { operationId } = await service.submit(imports, {});
    const resumed: unknown[] = [];
    await createWorker(service, {
      imports: async (_, job) => {
        resumed.push(job.resumed);
        if (job.resumed === 2) return "done";
        await job.checkpoint((job.resumed ?? 0) + 1);
        throw retryLater({ afterMs: 0 });
      },
    }).runUntilIdle();
    expect(resumed).toEqual([undefined, 1, 2]);
    expect(await service.get(imports, operationId)).toMatchObject({ status: "completed" });
  });
});
