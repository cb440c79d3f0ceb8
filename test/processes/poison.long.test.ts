import { describe, expect, it } from "vitest";
import { createWorkerPool } from "./worker-pool.js";

describe("worker processes", () => {
  it("fail work that crashes its process after its attempts, and complete the work beside it (F18)", async () => {
    const pool = createWorkerPool();
    await pool.startWorker({ keep: true });
    const neighbors = await Promise.all(["slow", "slow", "slow"].map(pool.submit));
    const poison = await pool.submit("exit");
    await pool.untilTerminal(poison, ...neighbors);
    expect(await pool.read(poison)).toMatchObject({ state: "failed", attempt: 6 });
    expect(pool.effects.filter(({ operationId }) => operationId === poison)).toHaveLength(5);
    // The crashes only used up attempts of the culprit: after the first one, the operations ran one at a time.
    for (const id of neighbors) expect(await pool.read(id)).toMatchObject({ state: "completed" });
  });
});
