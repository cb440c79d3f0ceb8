import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { jsonPost } from "../service/open-service.js";
import { claimOne } from "../support/claims.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const SUBMISSION = jsonPost("/orders", { itemId: "book", quantity: 2 });

/** A store with its own clock, shared by processes with other clocks. */
function stage() {
  const storeClock = createManualClock();
  const backend = createMemoryBackend({ clock: storeClock });

  /** Creates a process whose clock is `aheadMs` ahead of the store's. */
  function process(aheadMs = 0) {
    const clock = createManualClock(storeClock.now() + aheadMs);
    const service = createOrderService({ backend, authorize: allowAnonymous(), runtime: { clock } });
    const read = async (path: string): Promise<string | undefined> =>
      (await service.handle({ method: "GET", path, headers: {} })).headers["retry-after"];
    return {
      clock,
      read,
      submit: async () => (await service.handle(SUBMISSION)).headers.location ?? "",
      /** Submits an order and returns the Retry-After of the reply. */
      retryAfter: async () => (await service.handle(SUBMISSION)).headers["retry-after"],
      work: (processor: () => unknown = () => undefined) =>
        createWorker(service, { orders: processor }).runUntilIdle(),
    };
  }

  /** Completes an operation like a worker of another process. */
  async function end(path: string): Promise<void> {
    const lease = { operationId: path.slice("/operations/".length), token: "token-of-this-attempt" };
    await claimOne(backend.operations, lease.operationId, { token: lease.token, leaseMs: HOUR_MS });
    await backend.operations.settle(lease, { to: "completed" });
  }

  return {
    process,
    end,
    pass: async (ms: number, ...clocks: readonly { advance(ms: number): Promise<void> }[]) => {
      for (const clock of [storeClock, ...clocks]) await clock.advance(ms);
    },
  };
}

describe("Retry-After", () => {
  it("does not change when an old, slow operation is read", async () => {
    const { process, end, pass } = stage();
    const slow = await process().submit();
    await pass(HOUR_MS);
    await end(slow);
    const { read, retryAfter } = process();
    for (let count = 0; count < 50; count += 1) expect(await read(slow)).toBeUndefined();
    expect(await retryAfter()).toBe("1");
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "never compares the clock of the process with the store's: %i ms ahead",
    async (aheadMs) => {
      const { process } = stage();
      const { submit, read, retryAfter, work } = process(aheadMs);
      expect(await read(await submit())).toBe("1");
      await work();
      expect(await retryAfter()).toBe("1");
    },
  );

  it("learns from an operation only once, even if it is read repeatedly", async () => {
    const { process, end, pass } = stage();
    const { submit, read, retryAfter, clock } = process();
    const path = await submit();
    await pass(20 * SECOND_MS, clock);
    await end(path);
    for (let count = 0; count < 50; count += 1) await read(path);
    expect(await retryAfter()).toBe("2");
  });

  it("learns from an operation of another process if this one read it while pending", async () => {
    const { process, end, pass } = stage();
    const path = await process().submit();
    const { read, retryAfter, clock } = process();
    expect(await read(path)).toBe("1");
    await pass(20 * SECOND_MS, clock);
    await end(path);
    await read(path);
    expect(await retryAfter()).toBe("2");
  });

  it("grows with the age of a pending operation, measured by the clock of the process", async () => {
    const { process, pass } = stage();
    const { submit, read, clock } = process(HOUR_MS);
    const path = await submit();
    await pass(20 * SECOND_MS, clock);
    expect(await read(path)).toBe("10");
  });

  it("is 1 for an operation whose age is unknown after the clock was set back", async () => {
    const { process } = stage();
    const { submit, read, retryAfter, work, clock } = process();
    const path = await submit();
    await clock.jump(-HOUR_MS);
    expect(await read(path)).toBe("1");
    await work();
    expect(await retryAfter()).toBe("1");
  });

  it("does not jump from 1 to 60 because of one slow operation", async () => {
    const { process, pass } = stage();
    const { submit, retryAfter, work, clock } = process();
    await submit();
    await work(() => pass(10 * MINUTE_MS, clock));
    expect(await retryAfter()).toBe("4");
  });

  it("follows a worker of the same process without any reads", async () => {
    const { process, pass } = stage();
    const { submit, retryAfter, work, clock } = process();
    for (let count = 0; count < 30; count += 1) {
      await submit();
      await pass(20 * SECOND_MS, clock);
      await work();
    }
    expect(await retryAfter()).toBe("20");
  });

  it("is 0 on the replay of a finished operation, which teaches the estimate nothing", async () => {
    const clock = createManualClock();
    const service = createOrderService({ authorize: allowAnonymous(), runtime: { clock } });
    const keyed = { ...SUBMISSION, headers: { ...SUBMISSION.headers, "idempotency-key": "k" } };
    await service.handle(keyed);
    await clock.advance(HOUR_MS);
    await createWorker(service, { orders: () => undefined }).runUntilIdle();
    for (let count = 0; count < 50; count += 1) {
      expect((await service.handle(keyed)).headers["retry-after"]).toBe("0");
    }
    expect((await service.handle(SUBMISSION)).headers["retry-after"]).toBe("4");
  });
});

describe("Retry-After of a process that has seen no operation end", () => {
  /** A process that runs work and has counted it, and a fresh one without a worker. */
  async function openProcesses(fails = false) {
    const clock = createManualClock();
    const { minutes, ...backend } = createMemoryBackend({ clock });
    let reads = 0;
    const open = () => {
      const read: typeof minutes.read = (request) => {
        reads += 1;
        return fails ? Promise.reject(new Error("The store is down.")) : minutes.read(request);
      };
      const own = { ...backend, minutes: { ...minutes, read } };
      return createOrderService({
        backend: own,
        authorize: allowAnonymous(),
        runtime: { clock },
        observe: false,
      });
    };
    const first = open();
    const worker = createWorker(first, {
      orders: () => new Promise<void>((resolve) => clock.schedule(20 * SECOND_MS, resolve)),
    });
    await worker.start();
    for (let count = 0; count < 3; count += 1) await first.handle(SUBMISSION);
    await clock.advance(MINUTE_MS);
    await worker.stop();
    const fresh = open();
    reads = 0;
    return {
      clock,
      reads: () => reads,
      retryAfter: async () => Number((await fresh.handle(SUBMISSION)).headers["retry-after"]),
    };
  }

  it("is what operations took in other processes in the last hour, except for the first reply", async () => {
    const { retryAfter } = await openProcesses();
    expect(await retryAfter()).toBe(1);
    expect(await retryAfter()).toBeGreaterThanOrEqual(20);
    expect(await retryAfter()).toBeLessThanOrEqual(23);
  });

  it("costs one read per minute in which it is asked for, and none while the process is idle", async () => {
    const { clock, retryAfter, reads } = await openProcesses();
    await clock.advance(HOUR_MS / 2);
    expect(reads()).toBe(0);
    for (let count = 0; count < 5; count += 1) await retryAfter();
    expect(reads()).toBe(1);
    await clock.advance(HOUR_MS / 2);
    expect(reads()).toBe(1);
    await retryAfter();
    expect(reads()).toBe(2);
  });

  it("stays at 1 second while the counts cannot be read", async () => {
    const { clock, retryAfter, reads } = await openProcesses(true);
    for (let count = 0; count < 3; count += 1) {
      expect(await retryAfter()).toBe(1);
      await clock.advance(MINUTE_MS);
    }
    expect(reads()).toBe(3);
  });
});
