import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import type { MinuteRow, MinutesStore } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.unknown() });
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Opens a service whose store of minutes writes as `write` says. */
function openStage(write: (rows: readonly MinuteRow[], store: MinutesStore) => Promise<void>) {
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const calls: (readonly MinuteRow[])[] = [];
  const minutes: MinutesStore = {
    ...memory.minutes,
    write: (rows) => {
      calls.push(rows);
      return write(rows, memory.minutes);
    },
  };
  const backend = { ...memory, minutes };
  const events: ServiceEvent[] = [];
  const shared = {
    definitions: [orders] as const,
    runtime: { clock },
    observe: (event: ServiceEvent) => void events.push(event),
  };
  const service = createService({ backend, ...shared });
  const operator = createOperator({ backend, ...shared });
  const accepted = async (): Promise<number> => {
    const [from, to] = [new Date(clock.now() - HOUR_MS), new Date(clock.now() + HOUR_MS)];
    const steps = await operator.series({ from, to, stepMs: MINUTE_MS });
    return steps.reduce((sum, step) => sum + step.accepted, 0);
  };
  return { clock, minutes, service, calls, events, accepted };
}

const unavailable = new Error("The store is down.");
const writes = (rows: readonly MinuteRow[], store: MinutesStore): Promise<void> => store.write(rows);

describe("a process that counts", () => {
  it("writes 10 s after the first change, and only what has changed", async () => {
    const { clock, service, calls, accepted } = openStage(writes);
    await service.submit(orders, 1);
    await clock.advance(5_000);
    await service.submit(orders, 2);
    await clock.advance(4_999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect(calls).toMatchObject([[{ definition: "orders", accepted: 2 }]]);
    await clock.advance(HOUR_MS);
    expect(calls).toHaveLength(1);
    expect(await accepted()).toBe(2);
  });

  it("replaces its row of a minute, so a lost answer counts nothing twice", async () => {
    let lost = 2;
    const { clock, service, events, accepted, calls } = openStage(async (rows, store) => {
      await store.write(rows);
      lost -= 1;
      if (lost >= 0) throw unavailable;
    });
    await service.submit(orders, 1);
    await clock.advance(10_000);
    await service.submit(orders, 2);
    await clock.advance(30_000);
    await service.submit(orders, 3);
    await clock.advance(10_000);
    expect(await accepted()).toBe(3);
    expect(new Set(calls.flat().map(({ process }) => process)).size).toBe(1);
    const failures = events.filter(({ event }) => event === "background.failed");
    expect(failures).toMatchObject([{ step: "write-minutes" }, { step: "write-minutes" }]);
  });

  it("does not write a row again after it may have been folded", async () => {
    let state: "answer lost" | "down" | "up" = "answer lost";
    const { clock, minutes, service, accepted } = openStage(async (rows, store) => {
      if (state !== "down") await store.write(rows);
      if (state !== "up") throw unavailable;
    });
    await service.submit(orders, 1);
    await clock.advance(10_000);
    state = "down";
    await clock.advance(121_000);
    await minutes.fold({ limit: 100 });
    state = "up";
    await clock.advance(60_000);
    expect(await accepted()).toBe(1);
  });

  it("does not write a row again after the machine has slept, by either clock", async () => {
    const { clock, minutes, service, accepted } = openStage(writes);
    await service.submit(orders, 1);
    await clock.advance(10_000);
    await service.submit(orders, 2);
    // The clock of the store moves on, but timers and `elapsed` do not.
    await clock.jump(121_000);
    await minutes.fold({ limit: 100 });
    await clock.advance(10_000);
    await service.submit(orders, 3);
    await service.close();
    expect(await accepted()).toBe(2);
  });

  it("counts what comes at the end of a minute and was preceded by a write at its beginning", async () => {
    const { clock, service, accepted } = openStage(writes);
    await clock.advance(MINUTE_MS - (clock.now() % MINUTE_MS));
    await service.submit(orders, 1);
    await createWorker(service, { orders: () => {} }).runUntilIdle();
    await clock.advance(55_000);
    await service.submit(orders, 2);
    await clock.advance(10_000);
    expect(await accepted()).toBe(2);
  });

  it("writes what it has never written, however late", async () => {
    const { clock, service, accepted } = openStage(writes);
    await service.submit(orders, 1);
    await clock.jump(30 * MINUTE_MS);
    await service.submit(orders, 2);
    await service.close();
    expect(await accepted()).toBe(2);
  });

  it("keeps both counts of a minute that comes twice because the clock was set back", async () => {
    const { clock, service, accepted } = openStage(writes);
    await service.submit(orders, 1);
    await clock.advance(MINUTE_MS);
    await service.submit(orders, 2);
    await clock.advance(10_000);
    await clock.jump(-MINUTE_MS - 10_000);
    await service.submit(orders, 3);
    await service.close();
    expect(await accepted()).toBe(3);
  });

  it("writes with the next event if the platform has forgotten its timer", async () => {
    const { clock, service, calls } = openStage(writes);
    const { schedule } = clock;
    Object.assign(clock, { schedule: () => () => {} });
    await service.submit(orders, 1);
    Object.assign(clock, { schedule });
    await clock.advance(MINUTE_MS);
    await service.submit(orders, 2);
    await clock.advance(1);
    expect(calls.flat()).toMatchObject([{ accepted: 1 }, { accepted: 1 }]);
  });

  it("writes the rest when its service is closed, when its worker stops, and at the end of a run", async () => {
    const { clock, service, accepted, calls } = openStage(writes);
    const worker = createWorker(service, { orders: () => {} });
    await service.submit(orders, 1);
    await worker.runFor({ maxMs: 60_000 });
    expect(calls.flat()).toMatchObject([{ accepted: 1, completed: 1, served: true }]);
    await worker.start();
    await service.submit(orders, 2);
    await clock.advance(1_000);
    await worker.stop();
    expect(await accepted()).toBe(2);
    await service.submit(orders, 3);
    await service.close();
    expect(await accepted()).toBe(3);
  });

  it("does not keep a service from closing while its store does not answer", async () => {
    const { clock, service, events } = openStage(() => new Promise(() => {}));
    await service.submit(orders, 1);
    const closed = service.close();
    await clock.advance(10_000);
    await closed;
    expect(events.at(-1)).toMatchObject({ event: "background.failed", step: "write-minutes" });
  });

  it("says how many operations are missing, because more than 10,000 have to be found", async () => {
    const clock = createManualClock();
    const memory = createMemoryBackend({ clock });
    const record = (): Promise<never> => Promise.reject(unavailable);
    const backend = { ...memory, submissions: { ...memory.submissions, record } };
    const events: ServiceEvent[] = [];
    const service = createService({
      definitions: [orders],
      backend,
      runtime: { clock },
      observe: (event) => void events.push(event),
    });
    // Whether they were recorded is unknown.
    for (let count = 0; count < 10_003; count += 1)
      await expect(service.submit(orders, count)).rejects.toThrow();
    await clock.advance(20_000);
    const missing = events.filter((event) => event.event === "background.failed");
    expect(missing.map(({ error }) => error)).toEqual([
      expect.objectContaining({ detail: expect.stringMatching(/^3 operations are missing/) }),
    ]);
  });
});
