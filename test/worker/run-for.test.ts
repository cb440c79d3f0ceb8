import {
  createMemoryBackend,
  defineOperation,
  isAsyncReplyError,
  permanentFailure,
  type RunSummary,
  retryLater,
} from "async-request-reply";
import { describe, expect, it, vi } from "vitest";
import { effort } from "../support/effort.js";
import { declareRunFor } from "../support/run-for.js";
import { createStage, signalOf } from "../support/worker-stage.js";
import { endlessWork, failing, heldWork, submitted, withOperations } from "./stage.js";

const input = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;
const quick = defineOperation({ name: "quick", path: "/quick", input });
const slow = defineOperation({ name: "slow", path: "/slow", input });
const CUTS = effort(100, 1_000);
const NOTHING: RunSummary = { completed: 0, failed: 0, retried: 0, released: 0, lost: 0, idle: true };

describe("runFor in memory", () => {
  declareRunFor(() => createMemoryBackend());

  it("works until nothing is due, and says how each attempt ended", async () => {
    const { worker, submit } = createStage([quick]);
    const outcomes: Record<string, () => unknown> = {
      completes: () => "done",
      fails: failing(permanentFailure("No.")),
      retries: failing(retryLater({ afterMs: 60_000 })),
    };
    for (const name of ["completes", "completes", "completes", "fails", "fails", "retries", "releases"])
      await submit(name);
    const running = worker({
      quick: (name, job) => (name === "releases" ? job.release() : outcomes[String(name)]?.()),
    });
    const first = await running.runFor({ maxMs: 10_000 });
    expect(first).toEqual({ completed: 3, failed: 2, retried: 1, released: 1, lost: 0, idle: true });
    expect(await running.runFor({ maxMs: 10_000 })).toEqual(NOTHING);
  });

  it("interrupts attempts when a tenth of the time is left, and releases them without counting", async () => {
    const { id, worker, read, clock, events } = await submitted(createStage([slow]));
    const reasons: unknown[] = [];
    const endless = endlessWork();
    const running = worker({
      slow: (order, job) => {
        job.signal.addEventListener("abort", () => reasons.push(job.signal.reason.code));
        return endless.run(order, job);
      },
    });
    const run = running.runFor({ maxMs: 5_000 });
    await endless.begun();
    await clock.advance(4_499);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    expect(await run).toEqual({ ...NOTHING, released: 1, idle: false });
    expect(reasons).toEqual(["WORKER_STOPPED"]);
    expect(events.at(-1)).toMatchObject({ event: "operation.released", operationId: id });
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
    const next = worker({ slow: () => "done" });
    expect(await next.runFor({ maxMs: 5_000 })).toEqual({ ...NOTHING, completed: 1 });
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  it("keeps at most a second of the time to release attempts", async () => {
    const { worker, clock } = await submitted(createStage([slow]));
    const endless = endlessWork();
    const run = worker({ slow: endless.run }).runFor({ maxMs: 300_000 });
    await endless.begun();
    await clock.advance(298_999);
    let ended = false;
    void run.then(() => {
      ended = true;
    });
    await clock.advance(0);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect((await run).released).toBe(1);
  });

  it("loses nothing and counts nothing in many runs that are cut at the end of their time", async () => {
    const { worker, submit, read, clock } = createStage([slow]);
    const ids = await Promise.all(Array.from({ length: 5 }, () => submit()));
    const endless = endlessWork();
    const running = worker({ slow: endless.run }, { maxAttempts: 2 });
    for (let round = 1; round <= CUTS; round += 1) {
      const run = running.runFor({ maxMs: 1_000 });
      await endless.begun(5 * round);
      await clock.advance(900);
      expect(await run).toEqual({ ...NOTHING, released: 5, idle: false });
    }
    for (const id of ids) expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
    expect((await worker({ slow: () => "done" }).runFor({ maxMs: 1_000 })).completed).toBe(5);
  });

  it("resolves at the end of its time even if the store does not answer any more", async () => {
    const change = withOperations(() => ({ settle: () => new Promise(() => {}) }));
    const { worker, clock } = await submitted(createStage([slow], change));
    const endless = endlessWork();
    const run = worker({ slow: endless.run }).runFor({ maxMs: 5_000 });
    await endless.begun();
    await clock.advance(5_000);
    expect(await run).toEqual({ ...NOTHING, idle: false });
  });

  it("begins an operation only while its time limit ends before attempts are released", async () => {
    const { worker, submit, clock, read } = createStage([quick, slow]);
    const step = signalOf();
    const running = worker(
      { quick: () => step.promise, slow: { run: () => "done", attemptTimeoutMs: 5_000 } },
      { concurrency: 2 },
    );
    await submit(1, "/quick");
    const run = running.runFor({ maxMs: 10_000 });
    await clock.advance(3_000);
    const early = await submit(1, "/slow");
    await clock.advance(1_000);
    expect((await read(early)).state).toBe("completed");
    await clock.advance(1);
    const late = await submit(1, "/slow");
    await clock.advance(2_000);
    step.resolve();
    expect(await run).toEqual({ ...NOTHING, completed: 2, idle: false });
    expect(await read(late)).toMatchObject({ state: "pending", attempt: 0 });
    expect(await running.runFor({ maxMs: 10_000 })).toEqual({ ...NOTHING, completed: 1 });
  });

  it("uses slots that are free while a slow operation holds another one", async () => {
    const { worker, submit } = createStage([quick, slow]);
    const step = signalOf();
    const done: unknown[] = [];
    const note = async (number: unknown): Promise<void> => {
      // Long enough for the worker to find all slots taken.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      done.push(number);
    };
    const running = worker({ quick: note, slow: () => step.promise }, { concurrency: 2 });
    await submit(0, "/slow");
    for (let number = 1; number <= 20; number += 1) await submit(number, "/quick");
    const run = running.runFor({ maxMs: 60_000 });
    await vi.waitUntil(() => done.length === 20);
    step.resolve();
    expect(await run).toEqual({ ...NOTHING, completed: 21 });
  });

  it("takes work that comes while it waits for a slow operation", async () => {
    const { worker, submit, clock } = createStage([quick, slow]);
    const step = signalOf();
    const done: string[] = [];
    const running = worker({ quick: () => void done.push("quick"), slow: () => step.promise });
    await submit(0, "/slow");
    const run = running.runFor({ maxMs: 60_000 });
    await clock.advance(500);
    await submit(1, "/quick");
    await clock.advance(1_000);
    expect(done).toEqual(["quick"]);
    step.resolve();
    expect(await run).toEqual({ ...NOTHING, completed: 2 });
  });

  it("shares the slots of its worker with runs at the same time", async () => {
    const { worker, submit } = createStage([slow]);
    let running = 0;
    let most = 0;
    const run = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const shared = worker({ slow: run }, { concurrency: 3 });
    for (let number = 0; number < 50; number += 1) await submit(number);
    const runs = await Promise.all([1, 2, 3].map(() => shared.runFor({ maxMs: 60_000 })));
    expect(runs.reduce((sum, { completed }) => sum + completed, 0)).toBe(50);
    expect(runs.every(({ idle }) => idle)).toBe(true);
    expect(most).toBe(3);
  });

  it("interrupts only its own attempts", async () => {
    const { worker, submit, clock } = createStage([slow]);
    const [own, others] = [endlessWork(), heldWork()];
    const shared = worker({ slow: (name, job) => (name === "own" ? own : others).run(name, job) });
    await submit("other");
    const ending = new AbortController();
    const long = shared.runFor({ maxMs: 60_000, signal: ending.signal });
    await others.begun;
    // It would take the other operation too.
    ending.abort();
    await submit("own");
    const short = shared.runFor({ maxMs: 1_000 });
    await own.begun();
    await clock.advance(900);
    expect(await short).toEqual({ ...NOTHING, released: 1, idle: false });
    others.end();
    expect(await long).toEqual({ ...NOTHING, completed: 1, idle: false });
  });

  it("begins no more work when its signal is aborted, and lets the attempts that run end", async () => {
    const { worker, submit } = createStage([slow]);
    const work = heldWork();
    const running = worker({ slow: work.run }, { concurrency: 1 });
    await submit();
    await submit();
    const ending = new AbortController();
    const run = running.runFor({ maxMs: 60_000, signal: ending.signal });
    await work.begun;
    ending.abort();
    work.end();
    expect(await run).toEqual({ ...NOTHING, completed: 1, idle: false });
  });

  it("resolves at once after its worker was stopped", async () => {
    const { worker } = await submitted(createStage([slow]));
    const stopped = worker({ slow: () => "done" });
    await stopped.stop();
    expect(await stopped.runFor({ maxMs: 60_000 })).toEqual({ ...NOTHING, idle: false });
  });

  it("is not idle while due work waits for a place that another process holds", async () => {
    const limited = defineOperation({ name: "limited", path: "/limited", input, limits: { running: 1 } });
    const backend = createMemoryBackend();
    const { worker, submit } = createStage([limited], () => backend);
    await submit();
    await submit();
    const definitions = [{ name: "limited", slots: 1, leaseMs: 60_000, limits: { running: 1 }, suspects: 1 }];
    const elsewhere = await backend.operations.claim({ token: "other", definitions, limit: 1 });
    const running = worker({ limited: () => "done" });
    expect(await running.runFor({ maxMs: 60_000 })).toEqual({ ...NOTHING, idle: false });
    const operationId = elsewhere.begun[0]?.operation.id ?? "";
    await backend.operations.settle({ operationId, token: "other" }, { to: "completed" });
    expect(await running.runFor({ maxMs: 60_000 })).toEqual({ ...NOTHING, completed: 1 });
  });

  it("rejects if the store fails, but only when the attempts that run have ended", async () => {
    let claims = 0;
    const change = withOperations((operations) => ({
      claim: async (request) => {
        claims += 1;
        if (claims > 1) throw new Error("down");
        return operations.claim(request);
      },
    }));
    const { id, worker, clock, read } = await submitted(createStage([slow], change));
    const step = signalOf();
    const run = worker({ slow: () => step.promise }).runFor({ maxMs: 60_000 });
    const failure = run.catch((error: unknown) => error);
    await clock.advance(2_000);
    step.resolve();
    expect(await failure).toEqual(new Error("down"));
    expect((await read(id)).state).toBe("completed");
  });
});

describe("the options of runFor", () => {
  const { worker } = createStage([quick, slow]);

  it("must leave enough time for the time limit of every processor", async () => {
    const running = worker({
      quick: { run: () => {}, attemptTimeoutMs: 2_000 },
      slow: { run: () => {}, attemptTimeoutMs: 30_000 },
    });
    const refusal = async (maxMs: number): Promise<string> => {
      const error: unknown = await running.runFor({ maxMs }).catch((reason: unknown) => reason);
      return isAsyncReplyError(error) && error.code === "INVALID_OPTION" ? error.detail : "no refusal";
    };
    expect(await refusal(1_000)).toBe(
      "Option `maxMs` of worker.runFor is 1000, which leaves 900 ms for work. `attemptTimeoutMs` is longer, so attempts " +
        'would never begin: 2000 for "quick", 30000 for "slow". Pass at least 31000, lower `attemptTimeoutMs`, or leave ' +
        "these processors to another worker.",
    );
    expect(await refusal(30_999)).toMatch(/never begin: 30000 for "slow"\. Pass at least 31000/);
    expect(await refusal(31_000)).toBe("no refusal");
    const short = worker({ quick: { run: () => {}, attemptTimeoutMs: 2_000 } });
    await expect(short.runFor({ maxMs: 2_222 })).rejects.toThrow(/Pass at least 2223,/);
    expect(await short.runFor({ maxMs: 2_223 })).toEqual(NOTHING);
  });

  it.each([
    [{}, "Option `maxMs` must be a whole number greater than 0, not undefined."],
    [{ maxMs: null }, "Option `maxMs` must be a whole number greater than 0, not null."],
    [{ maxMs: 1.5 }, "Option `maxMs` must be a whole number greater than 0, not 1.5."],
    [{ maxMs: 2 ** 31 }, /`maxMs` must be at most 2147483647 milliseconds \(24\.8 days\), not 2147483648\./],
    [{ maxMs: 1, singal: 1 }, /Unknown option `singal` of worker\.runFor\. Did you mean `signal`\?/],
  ])("are refused if they are wrong: %o", async (options, detail) => {
    const refused = worker({ quick: () => {} }).runFor(options as never);
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringMatching(detail),
    });
  });
});
