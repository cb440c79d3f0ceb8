import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import * as z from "zod";

const input = z.object({});
const long = defineOperation({ name: "long", path: "/long", input });
const short = defineOperation({ name: "short", path: "/short", input });

it("gives each definition a turn if a worker has one free slot", async () => {
  const backend = createMemoryBackend({ clock: createManualClock() });
  const service = createService({ definitions: [long, short], backend });
  const began: string[] = [];
  const note = (name: string) => () => void began.push(name);
  const worker = createWorker(service, { long: note("long"), short: note("short") }, { concurrency: 1 });
  for (let count = 0; count < 5; count += 1) await service.submit(long, {});
  await service.submit(short, {});
  await worker.runUntilIdle();
  expect(began.indexOf("short")).toBeLessThan(2);
  expect(began).toHaveLength(6);
});
