import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const realSetImmediate = setImmediate;

function useFakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  vi.useFakeTimers(options);
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Calls that wait for the event loop, and the names of those that have ended. */
async function startCalls(): Promise<{ readonly ended: readonly string[]; readonly all: Promise<unknown> }> {
  const service = createOrderService({ backend: createMemoryBackend(), authorize: allowAnonymous() });
  await service.submit(service.definitions[0], { itemId: "book", quantity: 1 }, { tenant: "ann" });
  const idle = createWorker(service, { orders: () => "done" });
  const stopped = createWorker(service, { orders: () => "done" });
  const ended: string[] = [];
  const note = (name: string, call: Promise<unknown>): Promise<unknown> => call.then(() => ended.push(name));
  return {
    ended,
    all: Promise.all([
      note("runUntilIdle", idle.runUntilIdle()),
      note(
        "stop",
        stopped.start().then(() => stopped.stop()),
      ),
      note("advance", createManualClock().advance(1)),
    ]),
  };
}

// The table of docs/testing-your-service.md.
describe("a call that waits for the event loop, under fake timers", () => {
  it("ends once the time is advanced", async () => {
    useFakeTimers();
    const calls = await startCalls();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => realSetImmediate(resolve));
    expect(calls.ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect([...calls.ended].sort()).toEqual(["advance", "runUntilIdle", "stop"]);
  });

  it("ends by itself if `setImmediate` is real", async () => {
    useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "performance"] });
    const calls = await startCalls();
    await calls.all;
    expect(calls.ended).toHaveLength(3);
  });
});
