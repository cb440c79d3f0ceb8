import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

/** Imports an example before the tests of a group, and closes its service after them. */
function useExample<Example extends { readonly service: { close(): Promise<void> } }>(
  load: () => Promise<Example>,
): () => Example {
  let example: Example;
  beforeAll(async () => {
    example = await load();
  });
  afterAll(() => example.service.close());
  return () => example;
}

describe("the example that submits from code", () => {
  const example = useExample(() => import("../../examples/tasks/submit-from-code.js"));

  it("returns one operation for each file, and its URL once it is ready", async () => {
    const [id, again, other] = [
      await example().transcode("cat.mov"),
      await example().transcode("cat.mov"),
      await example().transcode("dog.mov"),
    ];
    expect([again === id, other === id]).toEqual([true, false]);
    await expect.poll(() => example().urlOf(id)).toBe("https://cdn.example/cat.mov.mp4");
  });
});

describe("the example that waits for the result", () => {
  const example = useExample(() => import("../../examples/tasks/wait-for-result.js"));

  it("returns it in process and over HTTP", async () => {
    expect(await example().inProcess("cat")).toBe("/cat.webp");
    expect(await example().overHttp("dog")).toBe("/dog.webp");
  });
});

describe("the example that delays and schedules work", () => {
  let done: readonly unknown[][];
  // The import starts the schedule, so the clock has to be fake before it.
  beforeAll(() => {
    vi.useFakeTimers({
      now: Date.UTC(2026, 0, 1, 12),
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
    return () => vi.useRealTimers();
  });
  const example = useExample(() => import("../../examples/tasks/schedule.js"));
  beforeEach(() => {
    done = vi.spyOn(console, "log").mockImplementation(() => {}).mock.calls;
  });
  afterEach(() => vi.restoreAllMocks());

  /** Moves the clock to a time, then lets the schedule fire and the worker sweep. */
  async function advanceTo(time: number): Promise<void> {
    vi.setSystemTime(time);
    await vi.advanceTimersByTimeAsync(120_000);
  }

  it("writes one digest per day, even if the schedule fires more often", async () => {
    await advanceTo(Date.UTC(2026, 0, 1, 13));
    await advanceTo(Date.UTC(2026, 0, 1, 14));
    await expect.poll(() => done).toEqual([["writing the digest of 2026-01-01"]]);
    expect(await example().submitDigest()).toMatchObject({ status: "completed", replayed: true });
    await advanceTo(Date.UTC(2026, 0, 2, 1));
    await expect.poll(() => done).toHaveLength(2);
    expect(done[1]).toEqual(["writing the digest of 2026-01-02"]);
  });

  it("runs delayed work when it is due, unless it was cancelled", async () => {
    vi.setSystemTime(Date.UTC(2026, 1, 1));
    await example().purgeLater("cat.mov");
    const { operationId } = await example().purgeLater("dog.mov");
    const { outcome } = await example().service.cancel(example().service.definitions[0], operationId);
    expect(outcome).toBe("cancelled");
    await advanceTo(Date.UTC(2026, 2, 2));
    await expect.poll(() => done).toContainEqual(["writing the digest of 2026-03-02"]);
    expect(done).not.toContainEqual(["deleting cat.mov"]);
    await advanceTo(Date.UTC(2026, 2, 4));
    await expect.poll(() => done).toContainEqual(["deleting cat.mov"]);
    expect(done).not.toContainEqual(["deleting dog.mov"]);
  });
});

describe("the example that redrives failed work", () => {
  const example = useExample(() => import("../../examples/tasks/redrive.js"));
  const tenant = "studio";
  let baseUrl: string;
  let status: number;
  const files = createServer((_req, res) => res.writeHead(status).end());
  beforeAll(async () => {
    await once(files.listen(0, "127.0.0.1"), "listening");
    baseUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    files.closeAllConnections();
    files.close();
  });

  const statusOf = async (id: string): Promise<string | undefined> =>
    (await example().service.get(example().service.definitions[0], id, { tenant }))?.status;

  async function submitFailing(file: string): Promise<string> {
    status = 404;
    const { service } = example();
    const { operationId } = await service.submit(
      service.definitions[0],
      { file: `${baseUrl}/${file}` },
      { tenant },
    );
    await expect.poll(() => statusOf(operationId)).toBe("failed");
    return operationId;
  }

  it("runs one failed operation again as a new operation", async () => {
    const failed = await submitFailing("cat.mov");
    status = 200;
    const id = await example().runAgain(failed);
    await expect.poll(() => statusOf(id)).toBe("completed");
    expect([id === failed, await statusOf(failed)]).toEqual([false, "failed"]);
    expect(await example().runAgain(failed)).toBe(id);
    await expect(example().runAgain(id)).rejects.toThrow(`Operation ${id} cannot run again: completed.`);
  });

  it("runs every operation again that failed since a time, each once", async () => {
    const failed = [await submitFailing("dog.mov"), await submitFailing("bird.mov")];
    status = 200;
    await example().recover(new Date(Date.now() + 60_000));
    const { backend } = example().service;
    const retriedBy = async () => (await backend.operations.getMany(failed)).map(({ retriedBy: id }) => id);
    expect(await retriedBy()).toEqual([undefined, undefined]);
    await example().recover(new Date(Date.now() - 60_000));
    const ids = await retriedBy();
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    for (const id of ids ?? []) await expect.poll(() => statusOf(id ?? "")).toBe("completed");
    await example().recover(new Date(Date.now() - 60_000));
    expect(await retriedBy()).toEqual(ids);
  });
});
