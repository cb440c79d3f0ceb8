import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { anything } from "../support/careless-schema.js";

/** More than a claim looks at. */
const TENANTS = 600;
const ENDS = 12;

const work = defineOperation({
  name: "work",
  path: "/work",
  input: anything,
  limits: { runningPerTenant: 1 },
});

// The clock stands still, so nothing but the end itself wakes the worker.
it("an end lets the next operation of its tenant begin at once among 600 full tenants", async () => {
  const runtime = { clock: createManualClock() };
  const service = createService({
    definitions: [work],
    backend: createMemoryBackend(runtime),
    observe: false,
    runtime,
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const worker = createWorker(
    service,
    {
      work: (_, { tenant }) => {
        started.push(tenant);
        return new Promise<void>((resolve) => ends.set(tenant, resolve));
      },
    },
    { concurrency: TENANTS + 10 },
  );
  onTestFinished(async () => {
    const stopping = worker.stop();
    for (const end of ends.values()) end();
    await stopping;
  });
  for (let tenant = 0; tenant < TENANTS; tenant += 1)
    await service.submitMany(work, [{ input: 0 }, { input: 1 }], { tenant: `${tenant}` });
  await worker.start();
  await vi.waitFor(() => expect(started).toHaveLength(TENANTS));
  for (let end = 0; end < ENDS; end += 1) {
    const tenant = `${(end * TENANTS) / ENDS}`;
    ends.get(tenant)?.();
    await vi.waitFor(() => expect(started.at(-1)).toBe(tenant));
    expect(started).toHaveLength(TENANTS + end + 1);
  }
});
