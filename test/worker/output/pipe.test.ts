import { problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";
import { errorOf, signalOf } from "../../support/worker-stage.js";
import { reasonOf } from "../stage.js";
import { outputStage } from "./stage.js";

/** A source that notes when it is ended, and never answers after its first chunk. */
function stalledSource() {
  const reached = signalOf();
  let ended = false;
  const source = new ReadableStream<string>(
    {
      start: (controller) => controller.enqueue("a"),
      pull: () => reached.resolve(),
      cancel: () => {
        ended = true;
      },
    },
    { highWaterMark: 1 },
  );
  return { source, reached: reached.promise, isEnded: () => ended };
}

describe("job.pipe", () => {
  it("writes the values of an iterable and of a stream", async () => {
    const { work, output } = await outputStage();
    await work(async (_, job) => {
      await job.pipe(
        (async function* () {
          yield "a";
          yield "b";
        })(),
      );
      await job.pipe(ReadableStream.from(["c", "d"]));
    });
    expect(await output()).toEqual(["a", "b", "c", "d"]);
  });

  it("rejects with the error of the source, which is an ordinary failure", async () => {
    const { work, output, read, id } = await outputStage();
    await work(
      (_, job) =>
        job.pipe(
          (async function* () {
            yield "a";
            throw new Error("overloaded");
          })(),
        ),
      { maxAttempts: 1 },
    );
    expect(await output()).toEqual(["a"]);
    expect(reasonOf(await read(id)).detail).toContain("overloaded");
  });

  it("ends the source when the operation is cancelled, and keeps what was written", async () => {
    const { work, output, cancel, clock, read, id } = await outputStage();
    const { source, reached, isEnded } = stalledSource();
    const working = work((_, job) => job.pipe(source));
    await reached;
    await vi.waitUntil(async () => (await output())?.length === 1);
    await cancel(id);
    // The worker learns of it with the next renewal.
    await clock.advance(10_000);
    await working;
    expect(isEnded()).toBe(true);
    expect(errorOf(await read(id)).type).toBe(problemType("cancelled"));
    expect(await output()).toEqual(["a"]);
  });

  it("ends the source at once if the operation is being cancelled", async () => {
    const { work, output, cancel, clock, id } = await outputStage();
    const { source, isEnded } = stalledSource();
    const begun = signalOf();
    const working = work(async (_, job) => {
      const aborted = new Promise((resolve) => job.signal.addEventListener("abort", resolve));
      begun.resolve();
      await aborted;
      await job.pipe(source);
    });
    await begun.promise;
    await cancel(id);
    await clock.advance(10_000);
    await working;
    expect(isEnded()).toBe(true);
    expect(await output()).toEqual([]);
  });

  it("ends the source if a write fails", async () => {
    const { work, read, id } = await outputStage();
    let ended = false;
    await work((_, job) =>
      job.pipe(
        (async function* () {
          try {
            yield "a";
            yield 1 as never;
            yield "b";
          } finally {
            ended = true;
          }
        })(),
      ),
    );
    expect(ended).toBe(true);
    expect(errorOf(await read(id)).type).toBe(problemType("invalid-result"));
  });

  it("fails the attempt if the processor does not await it, and ends the source", async () => {
    const { work, read, id } = await outputStage();
    const { source, isEnded } = stalledSource();
    await work((_, job) => void job.pipe(source), { maxAttempts: 1 });
    expect(reasonOf(await read(id)).detail).toContain("Return or await its promise.");
    expect(isEnded()).toBe(true);
  });
});
