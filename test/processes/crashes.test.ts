import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkerPool, until, untilTerminal, type WorkerPool } from "./worker-pool.js";

let pool: WorkerPool;

beforeEach(() => {
  pool = createWorkerPool();
});
afterEach(() => pool.close());

describe("worker processes", () => {
  it("take over the work of a killed process (F2)", async () => {
    const id = await pool.submit("slow");
    const first = await pool.startWorker();
    await until(() => pool.effects.length === 1);
    first.kill("SIGKILL");
    await pool.startWorker();
    await untilTerminal(pool, id);
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("drop the result of a process that was paused past its lease (F8)", async () => {
    const id = await pool.submit("slow");
    const paused = await pool.startWorker();
    await until(() => pool.effects.length === 1);
    paused.kill("SIGSTOP");
    await pool.startWorker();
    await untilTerminal(pool, id);
    paused.kill("SIGCONT");
    await until(() => paused.events.some(({ event }) => event === "attempt.lost"));
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("complete all work while one process blocks its event loop past its lease (F18)", async () => {
    const blocked = await pool.startWorker();
    const id = await pool.submit("block");
    await until(() => pool.effects.length === 1);
    await pool.startWorker();
    const others = await Promise.all(Array.from({ length: 10 }, () => pool.submit("fine")));
    await untilTerminal(pool, id, ...others);
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    await until(() => blocked.events.some(({ event }) => event === "attempt.lost"));
    for (const other of others) expect(await pool.read(other)).toMatchObject({ state: "completed" });
  });

  it("complete other work beside work that throws, returns an invalid result or never ends (F18)", async () => {
    await pool.startWorker();
    const hanging = await pool.submit("hang");
    const throwing = await pool.submit("throw");
    const garbage = await pool.submit("garbage");
    const fine = await Promise.all(Array.from({ length: 20 }, () => pool.submit("fine")));
    await untilTerminal(pool, throwing, garbage, ...fine);
    expect(await pool.read(throwing)).toMatchObject({ state: "failed", attempt: 5 });
    expect(await pool.read(garbage)).toMatchObject({ state: "failed", attempt: 1 });
    for (const id of fine) expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(await pool.read(hanging)).toMatchObject({ state: "pending" });
  });

  it("release unfinished work after the drain timeout on SIGTERM, and exit with 0 (F17)", async () => {
    const id = await pool.submit("hang");
    const worker = await pool.startWorker();
    await until(() => pool.effects.length === 1);
    worker.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
    expect(await pool.read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });
});
