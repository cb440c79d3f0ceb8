import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorks, ended, until, type Works } from "./workers.js";

let works: Works;

beforeEach(() => {
  works = createWorks();
});
afterEach(() => works.close());

describe("worker processes", { timeout: 60_000 }, () => {
  it("take over what a killed one was working on (F2)", async () => {
    const id = await works.submit("slow");
    const first = await works.startWorker();
    await until(() => works.effects.length === 1);
    first.kill("SIGKILL");
    await works.startWorker();
    await ended(works, id);
    expect(await works.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("drop what one did that was stopped past its lease and goes on later (F8)", async () => {
    const id = await works.submit("slow");
    const paused = await works.startWorker();
    await until(() => works.effects.length === 1);
    paused.kill("SIGSTOP");
    await works.startWorker();
    await ended(works, id);
    paused.kill("SIGCONT");
    await until(() => paused.events.some(({ event }) => event === "attempt.lost"));
    expect(await works.read(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  it("go on while one blocks its event loop past its lease, and lose no work of others (F18)", async () => {
    const blocked = await works.startWorker();
    const id = await works.submit("block");
    await until(() => works.effects.length === 1);
    await works.startWorker();
    const others = await Promise.all(Array.from({ length: 10 }, () => works.submit("fine")));
    await ended(works, id, ...others);
    expect(await works.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    await until(() => blocked.events.some(({ event }) => event === "attempt.lost"));
    for (const other of others) expect(await works.read(other)).toMatchObject({ state: "completed" });
  });

  it("go on beside work that throws, returns garbage or never ends (F18)", async () => {
    await works.startWorker();
    const hanging = await works.submit("hang");
    const throwing = await works.submit("throw");
    const garbage = await works.submit("garbage");
    const fine = await Promise.all(Array.from({ length: 20 }, () => works.submit("fine")));
    await ended(works, throwing, garbage, ...fine);
    expect(await works.read(throwing)).toMatchObject({ state: "failed", attempt: 5 });
    expect(await works.read(garbage)).toMatchObject({ state: "failed", attempt: 1 });
    for (const id of fine) expect(await works.read(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(await works.read(hanging)).toMatchObject({ state: "pending" });
  });

  it("give back what does not end in time when they are told to stop, and exit with 0 (F17)", async () => {
    const id = await works.submit("hang");
    const worker = await works.startWorker();
    await until(() => works.effects.length === 1);
    worker.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
    expect(await works.read(id)).toMatchObject({ state: "pending", attempt: 0 });
  });
});
