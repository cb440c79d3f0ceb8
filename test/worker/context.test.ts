import { AsyncLocalStorage } from "node:async_hooks";
import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { expect, it, vi } from "vitest";
import * as z from "zod";

const notes = defineOperation({ name: "notes", path: "/notes", input: z.string() });

function createStage() {
  const requests = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const service = createService({ definitions: [notes], backend: createMemoryBackend() });
  const worker = createWorker(service, { notes: () => void seen.push(requests.getStore()) });
  return { requests, seen, service, worker };
}

it.each(["runFor", "runUntilIdle"] as const)(
  "%s inside a request does not run work in the context of that request",
  async (method) => {
    const { requests, seen, service, worker } = createStage();
    await service.submit(notes, "of somebody else");
    await requests.run("a request", () =>
      method === "runFor" ? worker.runFor({ maxMs: 10_000 }) : worker.runUntilIdle(),
    );
    expect(seen).toEqual([undefined]);
  },
);

it("a worker that a request starts does not run work in the context of that request", async () => {
  const { requests, seen, service, worker } = createStage();
  await service.submit(notes, "of somebody else");
  await requests.run("a request", worker.start);
  await vi.waitUntil(() => seen.length > 0);
  expect(seen).toEqual([undefined]);
  await worker.stop();
});
