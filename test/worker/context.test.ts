import { AsyncLocalStorage } from "node:async_hooks";
import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type Worker,
} from "async-request-reply";
import { expect, it, vi } from "vitest";
import * as z from "zod";

const notes = defineOperation({ name: "notes", path: "/notes", input: z.string() });

it.each<[string, (worker: Worker) => Promise<unknown>]>([
  ["runFor inside a request", (worker) => worker.runFor({ maxMs: 10_000 })],
  ["runUntilIdle inside a request", (worker) => worker.runUntilIdle()],
  ["a worker that a request starts", (worker) => worker.start()],
])("%s does not run work in the context of that request", async (_, use) => {
  const requests = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const service = createService({ definitions: [notes], backend: createMemoryBackend() });
  const worker = createWorker(service, { notes: () => void seen.push(requests.getStore()) });
  await service.submit(notes, "of somebody else");
  await requests.run("a request", () => use(worker));
  await vi.waitUntil(() => seen.length > 0);
  expect(seen).toEqual([undefined]);
  await worker.stop();
});
