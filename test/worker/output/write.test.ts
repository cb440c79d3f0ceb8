import { AsyncReplyError, retryLater } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";
import { createStage, errorOf, signalOf } from "../../support/worker-stage.js";
import { endlessWork, reasonOf } from "../stage.js";
import { type Answer, outputStage } from "./stage.js";

const unavailable = new AsyncReplyError("STORE_UNAVAILABLE", "The store does not answer.");

/** A chunk of this many bytes as JSON. */
const chunkOf = (bytes: number): string => "x".repeat(bytes - 2);

describe("job.write", () => {
  it("keeps chunks in their order, also those that were not awaited", async () => {
    const { work, output, read, id } = await outputStage();
    await work(async (_, { write }) => {
      await write("a");
      void write("b");
      await write("c");
      void write("d");
    });
    expect(await read(id)).toMatchObject({ state: "completed" });
    expect(await output()).toEqual(["a", "b", "c", "d"]);
  });

  it("stores the first chunk at once, and later ones together, 10 ms after that", async () => {
    const { work, appends, clock } = await outputStage();
    const end = signalOf();
    const working = work(async (_, job) => {
      await job.write("a");
      await vi.waitUntil(() => appends.length === 1);
      await job.write("b");
      await job.write("c");
      await end.promise;
    });
    await vi.waitUntil(() => appends.length === 1);
    await clock.advance(9);
    expect(appends.map(({ chunks }) => chunks.length)).toEqual([1]);
    await clock.advance(1);
    expect(appends.map(({ from, chunks }) => [from, chunks.length])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    end.resolve();
    await working;
  });

  it("stores the chunks of all attempts of the worker at the same moments", async () => {
    const { work, submit, appends, clock } = await outputStage();
    await submit({});
    const end = signalOf();
    const jobs: Parameters<Answer>[1][] = [];
    const working = work(
      async (_, job) => {
        jobs.push(job);
        await end.promise;
      },
      { concurrency: 2 },
    );
    await vi.waitUntil(() => jobs.length === 2);
    const [one, other] = jobs;
    await one?.write("a");
    await vi.waitUntil(() => appends.length === 1);
    await clock.advance(4);
    await other?.write("b");
    await clock.advance(4);
    await one?.write("c");
    await clock.advance(1);
    expect(appends.map(({ chunks }) => chunks)).toEqual([['"a"']]);
    await clock.advance(1);
    expect(appends.map(({ chunks }) => chunks)).toEqual([['"a"'], ['"b"'], ['"c"']]);
    end.resolve();
    await working;
  });

  it("waits longer after a moment of many attempts, a millisecond for each up to 40", async () => {
    const { work, submit, appends, clock } = await outputStage();
    for (let count = 1; count < 50; count += 1) await submit({});
    const end = signalOf();
    const jobs: Parameters<Answer>[1][] = [];
    const working = work(
      async (_, job) => {
        jobs.push(job);
        await end.promise;
      },
      { concurrency: 50 },
    );
    await vi.waitUntil(() => jobs.length === 50);
    const write = (count: number): Promise<unknown> =>
      Promise.all(jobs.slice(0, count).map((job) => job.write("a")));
    const storedAfter = async (ms: number): Promise<number> => {
      await clock.advance(ms);
      return appends.length;
    };
    // The first one is stored at once, and the others 10 ms later.
    await write(21);
    expect(await storedAfter(10)).toBe(21);
    await write(50);
    expect(await storedAfter(19)).toBe(21);
    expect(await storedAfter(1)).toBe(71);
    await write(1);
    expect(await storedAfter(39)).toBe(71);
    expect(await storedAfter(1)).toBe(72);
    await write(1);
    expect(await storedAfter(10)).toBe(73);
    end.resolve();
    await working;
  });

  it("does not wait for others if 32 KB are not stored", async () => {
    const { work, appends } = await outputStage();
    const end = signalOf();
    const working = work(async (_, job) => {
      await job.write("a");
      await vi.waitUntil(() => appends.length === 1);
      await job.write(chunkOf(32_768));
      await end.promise;
    });
    await vi.waitUntil(() => appends.length === 2);
    end.resolve();
    await working;
    expect(appends.map(({ bytes }) => bytes)).toEqual([3, 32_768]);
  });

  it("waits while 64 KB are not stored", async () => {
    const stored = signalOf();
    const { work, output } = await outputStage(({ append }) => ({
      append: async (given) => {
        await stored.promise;
        return append(given);
      },
    }));
    const order: string[] = [];
    const working = work(async (_, job) => {
      await job.write(chunkOf(32_000));
      order.push("first");
      await job.write(chunkOf(33_600));
      order.push("second");
    });
    await vi.waitUntil(() => order.length === 1);
    order.push("storing");
    stored.resolve();
    await working;
    expect(order).toEqual(["first", "storing", "second"]);
    expect(await output()).toHaveLength(2);
  });

  it("repeats an append that failed, with the same numbers", async () => {
    let failures = 2;
    const { work, appends, output, clock, events } = await outputStage(({ append }) => ({
      append: async (given) => {
        const answer = await append(given);
        if (failures-- > 0) throw unavailable;
        return answer;
      },
    }));
    const working = work((_, job) => job.write("a"));
    await vi.waitUntil(() => appends.length === 1);
    await clock.advance(3_000);
    await working;
    expect(appends).toHaveLength(3);
    expect(new Set(appends.map(({ from }) => from))).toEqual(new Set([0]));
    expect(await output()).toEqual(["a"]);
    expect(events).toContainEqual(expect.objectContaining({ event: "background.failed", step: "append" }));
  });

  it("interrupts the attempt if another one has begun", async () => {
    const { work, read, id } = await outputStage(() => ({ append: async () => ["lost"] }));
    const caught: unknown[] = [];
    const { lost } = await work(async (_, job) => {
      await job.write("a");
      await new Promise((resolve) => job.signal.addEventListener("abort", resolve));
      await job.write("b").catch((error: unknown) => caught.push(error));
    });
    expect(lost).toBe(1);
    await vi.waitUntil(() => caught.length === 1);
    expect(caught).toMatchObject([{ code: "LEASE_LOST" }]);
    expect(await read(id)).toMatchObject({ state: "pending" });
  });

  it.each<[string, Answer]>([
    ["is not awaited", (_, job) => void job.write(1 as never)],
    ["is caught", (_, job) => job.write(1 as never).catch(() => {})],
    [
      "is followed by another error",
      async (_, job) => {
        await job.write(1 as never).catch(() => {});
        throw retryLater({ afterMs: 0 });
      },
    ],
  ])("fails the operation for an invalid chunk, also if the rejection %s", async (_name, run) => {
    const { work, read, id, output } = await outputStage();
    await work(async (input, job) => {
      await job.write("kept");
      return run(input, job);
    });
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation).type).toBe(problemType("invalid-result"));
    expect(errorOf(operation).detail).toContain("a chunk of its output: # ");
    expect(await output()).toEqual(["kept"]);
  });

  it("fails the operation if its output is too large, and keeps what fits", async () => {
    const { work, read, id, output } = await outputStage();
    const codes: unknown[] = [];
    await work(async (_, job) => {
      for (let count = 0; count < 4; count += 1) await job.write(chunkOf(50_000));
      await job.write("").catch(({ code }: { code: string }) => codes.push(code));
    });
    const operation = await read(id);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(errorOf(operation)).toMatchObject({
      type: problemType("output-too-large"),
      detail: "The output of the work is larger than 200000 bytes as JSON, which is its limit.",
    });
    expect(codes).toEqual(["OUTPUT_TOO_LARGE"]);
    expect(await output()).toHaveLength(4);
  });

  it("stores what was written before the attempt fails, times out or is cancelled", async () => {
    const failed = await outputStage();
    const fail: Answer = (_, job) => {
      void job.write("a");
      throw new Error("no");
    };
    await failed.work(fail, { maxAttempts: 1 });
    expect(await failed.read(failed.id)).toMatchObject({ state: "failed" });
    expect(await failed.output()).toEqual(["a"]);

    const late = await outputStage();
    const endless = endlessWork();
    const timing = late.work(
      (input, job) => {
        void job.write("a");
        void job.write("b");
        return endless.run(input, job);
      },
      { maxAttempts: 1, attemptTimeoutMs: 5 },
    );
    await endless.begun();
    await late.clock.advance(5);
    await timing;
    expect(await late.read(late.id)).toMatchObject({ state: "failed" });
    expect(await late.output()).toEqual(["a", "b"]);

    const cancelled = await outputStage();
    await cancelled.work(async (_, job) => {
      await job.write("a");
      expect(await cancelled.cancel(cancelled.id)).toBe(202);
      await job.write("b");
      throw new Error("stopped");
    });
    expect(errorOf(await cancelled.read(cancelled.id)).type).toBe(problemType("cancelled"));
    expect(await cancelled.output()).toEqual(["a", "b"]);
  });

  it("reports one that comes after the processor has returned, and stores nothing", async () => {
    const { work, output, events } = await outputStage();
    const done = signalOf();
    await work((_, { write }) => {
      void done.promise.then(() => Promise.allSettled([write("late"), write("later")]));
    });
    done.resolve();
    await vi.waitUntil(() => events.some(({ event }) => event === "background.failed"));
    expect(events.filter(({ event }) => event === "background.failed")).toMatchObject([
      { step: "late-write", error: { code: "INVALID_OPTION" } },
    ]);
    expect(await output()).toEqual([]);
  });

  it("does not settle an attempt whose output is not stored when the worker has to stop", async () => {
    const { worker, appends, read, id, clock } = await outputStage(() => ({
      append: async () => {
        throw unavailable;
      },
    }));
    const running = worker({ answers: (_, job) => job.write("a") }, { drainTimeoutMs: 100 });
    await running.start();
    await vi.waitUntil(() => appends.length === 1);
    const stopping = running.stop();
    await clock.advance(10_000);
    await stopping;
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
  });

  it("does not settle an attempt whose last chunks the store refuses, because an earlier append arrived late", async () => {
    const [appending, returned, stopped] = [signalOf(), signalOf(), signalOf()];
    const { worker, work, appends, read, id, output, clock } = await outputStage(({ append }) => ({
      append: async (given) => {
        if (appends.length > 1) return append(given);
        appending.resolve();
        await stopped.promise;
        await append(given);
        throw unavailable;
      },
    }));
    const run: Answer = async (_, job) => {
      void job.write("a");
      await appending.promise;
      void job.write("b");
      setImmediate(returned.resolve);
    };
    const running = worker({ answers: run }, { drainTimeoutMs: 100 });
    await running.start();
    await returned.promise;
    const stopping = running.stop();
    await clock.advance(100);
    stopped.resolve();
    await stopping;
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    await clock.advance(60_000);
    await work(run);
    expect(await output()).toEqual(["a", "b"]);
  });

  it("begins nothing if the worker stops before it knows what stands", async () => {
    const [asked, stopped] = [signalOf(), signalOf()];
    const { worker, read, id } = await outputStage(({ begun }) => ({
      begun: async (lease) => {
        asked.resolve();
        await stopped.promise;
        return begun(lease);
      },
    }));
    let runs = 0;
    const running = worker({
      answers: () => {
        runs += 1;
      },
    });
    await running.start();
    await asked.promise;
    const stopping = running.stop();
    stopped.resolve();
    await stopping;
    expect(runs).toBe(0);
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });

  it("is refused by name if the definition has no chunks", async () => {
    const stage = createStage();
    const id = await stage.submit();
    const run = (_: unknown, job: object): unknown =>
      (job as { write: (chunk: string) => unknown }).write("a");
    await stage.worker({ orders: run }).runUntilIdle();
    expect(reasonOf(await stage.read(id)).detail).toContain(
      'The definition "orders" has no schema for this member',
    );
  });
});
