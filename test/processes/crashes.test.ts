import { describe, expect, it } from "vitest";
import { createWorkerPool } from "./worker-pool.js";

describe("worker processes", () => {
  it("take over the work of a killed process (F2)", async () => {
    const pool = createWorkerPool();
    const id = await pool.submit("slow");
    const first = await pool.startWorker();
    await pool.untilBegun();
    first.kill("SIGKILL");
    await pool.startWorker();
    await pool.untilTerminal(id);
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("drop the result of a process that was paused past its lease (F8)", async () => {
    const pool = createWorkerPool();
    const id = await pool.submit("slow");
    const paused = await pool.startWorker();
    await pool.untilBegun();
    paused.kill("SIGSTOP");
    await pool.startWorker();
    await pool.untilTerminal(id);
    paused.kill("SIGCONT");
    await paused.untilLost();
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("complete all work while one process blocks its event loop past its lease (F18)", async () => {
    const pool = createWorkerPool();
    const blocked = await pool.startWorker();
    const id = await pool.submit("block");
    await pool.untilBegun();
    await pool.startWorker();
    const others = await Promise.all(Array.from({ length: 10 }, () => pool.submit("fine")));
    await pool.untilTerminal(id, ...others);
    expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    await blocked.untilLost();
    for (const other of others) expect(await pool.read(other)).toMatchObject({ state: "completed" });
  });

  it("complete other work beside work that throws, returns an invalid result or never ends (F18)", async () => {
    const pool = createWorkerPool();
    await pool.startWorker();
    const hanging = await pool.submit("hang");
    const throwing = await pool.submit("throw");
    const garbage = await pool.submit("garbage");
    const fine = await Promise.all(Array.from({ length: 20 }, () => pool.submit("fine")));
    await pool.untilTerminal(throwing, garbage, ...fine);
    expect(await pool.read(throwing)).toMatchObject({ state: "failed", attempt: 5 });
    expect(await pool.read(garbage)).toMatchObject({ state: "failed", attempt: 1 });
    for (const id of fine) expect(await pool.read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(await pool.read(hanging)).toMatchObject({ state: "pending" });
  });

  it("release unfinished work after the drain timeout on SIGTERM, and exit with 0 (F17)", async () => {
    const pool = createWorkerPool();
    const id = await pool.submit("hang");
    const worker = await pool.startWorker();
    await pool.untilBegun();
    worker.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
    expect(await pool.read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });
});
