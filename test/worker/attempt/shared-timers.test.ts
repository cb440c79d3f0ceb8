import {
  type Backend,
  type Clock,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  defineOrders,
  type Job,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createStage, LEASE_MS, signalOf } from "../../support/worker-stage.js";

/** Starts this many attempts at once. `finish` ends one of them. */
async function startAttempts(count: number) {
  const stage = createStage();
  const ids = await Promise.all(Array.from({ length: count }, () => stage.submit()));
  const finish = new Map(ids.map((id) => [id, signalOf()]));
  const started = new Set<string>();
  const orders = (_: unknown, { operationId }: Job) => {
    started.add(operationId);
    return finish.get(operationId)?.promise;
  };
  const working = stage.worker({ orders }, { maxAttempts: 1 });
  await working.start();
  while (started.size < count) await stage.clock.advance(0);
  return { ...stage, ids, finish: (id = "") => finish.get(id)?.resolve(), working };
}

describe("attempts that begin in the same millisecond", () => {
  it("keep their leases when one of them has ended", async () => {
    const { ids, finish, clock, read, working } = await startAttempts(3);
    const [first = "", ...others] = ids;
    finish(first);
    await clock.advance(10 * LEASE_MS);
    expect(await read(first)).toMatchObject({ state: "completed" });
    for (const id of others) expect(await read(id)).toMatchObject({ state: "pending", attempt: 1 });
    for (const id of others) finish(id);
    await clock.advance(1);
    for (const id of others) expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
    await working.stop();
  });

  it("keep their leases when the clock of the process is set forward", async () => {
    const [storeClock, clock] = [createManualClock(), createManualClock()];
    const backend: Backend = createMemoryBackend({ clock: storeClock });
    const definitions = [
      defineOperation({ name: "short", path: "/short", input: z.null() }),
      defineOperation({ name: "long", path: "/long", input: z.null() }),
    ] as const;
    const service = createService({ definitions, backend, runtime: { clock: storeClock } });
    const finish = signalOf();
    let running = 0;
    const work = (): Promise<void> => {
      running += 1;
      return finish.promise;
    };
    const worker = createWorker(
      { definitions, backend, runtime: { clock } },
      { short: { run: work, leaseMs: 30_000 }, long: { run: work, leaseMs: 150_000 } },
    );
    const begin = async (definition: (typeof definitions)[number]): Promise<void> => {
      const before = running;
      await service.submit(definition, null);
      while (running === before) await Promise.all([storeClock.advance(0), clock.advance(0)]);
    };
    await worker.start();
    // The first renewal of the long lease and that of the short one fall on the same time of the wrong clock.
    await begin(definitions[1]);
    await clock.jump(40_000);
    await begin(definitions[0]);
    for (let second = 0; second < 60; second += 1)
      await Promise.all([storeClock.advance(1_000), clock.advance(1_000)]);
    expect(running).toBe(2);
    finish.resolve();
    await worker.stop();
    expect(running).toBe(2);
  });

  it("leave no timer when all of them have ended", async () => {
    const clock = createManualClock();
    let pending = 0;
    const counting: Clock = {
      now: clock.now,
      elapsed: clock.elapsed,
      schedule: (delayMs, task) => {
        let waits = true;
        const end = (): void => {
          if (waits) pending -= 1;
          waits = false;
        };
        pending += 1;
        const cancel = clock.schedule(delayMs, () => {
          end();
          task();
        });
        return () => {
          end();
          cancel();
        };
      },
    };
    // Counts by minute would add timers.
    const { minutes: _, ...backend }: Backend = createMemoryBackend({ clock: counting });
    const input = '{"itemId":"item","quantity":1}';
    const order = { tenant: "default", definition: "orders", input, retentionMs: 60_000, delayMs: 0 };
    for (const id of ["1", "2", "3"])
      await backend.operations.create({ ...order, id: `00000000-0000-7000-8000-00000000000${id}` });
    let during = 0;
    const orders = (): void => {
      during = pending;
    };
    const source = { backend, definitions: [defineOrders()], runtime: { clock: counting } } as const;
    await createWorker(source, { orders }).runUntilIdle();
    expect(during).toBe(1);
    expect(pending).toBe(0);
  });
});
