import { describe, expect, it } from "vitest";
import { createStage, LEASE_MS, signalOf } from "../support/worker-stage.js";
import { countOf, submitted } from "./stage.js";

describe("operations whose last attempt was lost", () => {
  it("run one at a time, and the others stay due", async () => {
    const { submit, read, worker, clock, lose } = createStage();
    const [first, second] = [await submit(), await submit()];
    const fresh = await submit();
    await lose(first);
    await lose(second);
    await clock.advance(LEASE_MS);
    const started: string[] = [];
    const finish = signalOf();
    const idle = worker({
      orders: async (_, { operationId }) => {
        started.push(operationId);
        if (operationId !== fresh) await finish.promise;
      },
    }).runUntilIdle();
    while ((await read(fresh)).state === "pending") await clock.advance(0);
    expect(started.filter((id) => id !== fresh)).toHaveLength(1);
    const waiting = started.includes(first) ? second : first;
    expect(await read(waiting)).toMatchObject({ state: "pending", attempt: 1 });
    finish.resolve();
    await idle;
    await clock.advance(LEASE_MS);
    await worker({ orders: () => "done" }).runUntilIdle();
    expect(await read(waiting)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("stay due while they wait, because two of them would keep a worker busy forever", async () => {
    const { submit, worker, clock, lose, events } = createStage();
    const ids = [await submit(), await submit()];
    for (const id of ids) await lose(id);
    await clock.advance(LEASE_MS);
    const finish = signalOf();
    let started = 0;
    const orders = (): Promise<void> => {
      started += 1;
      return finish.promise;
    };
    const working = worker({ orders }, {}, () => 0);
    await working.start();
    while (started === 0) await clock.advance(1);
    for (let turn = 0; turn < 50; turn += 1) await clock.advance(1);
    expect([started, countOf(events, "operation.released")]).toEqual([1, 0]);
    finish.resolve();
    await working.stop();
  });

  it("fail if the lost attempt was their last one", async () => {
    const { id, read, worker, clock, lose } = await submitted(createStage());
    await lose(id);
    await clock.advance(LEASE_MS);
    let runs = 0;
    await worker({ orders: () => (runs += 1) }, { maxAttempts: 1 }).runUntilIdle();
    expect(runs).toBe(0);
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 2 });
  });
});
