import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { anything } from "../support/careless-schema.js";

/** More than a claim looks at. */
const TENANTS = 600;
const ENDS = 12;
/** Long enough for a busy machine. */
const PATIENCE = { timeout: 10_000 };

const work = defineOperation({
  name: "work",
  path: "/work",
  input: anything,
  limits: { runningPerTenant: 1 },
});

/** Opens workers of one back end whose clock stands still, so nothing but work wakes them. */
function open() {
  const runtime = { clock: createManualClock() };
  const backend = createMemoryBackend(runtime);
  const service = createService({ definitions: [work], backend, observe: false, runtime });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const createHolder = (concurrency: number) =>
    createWorker(
      service,
      {
        work: (_, { tenant }) => {
          started.push(tenant);
          return new Promise<void>((resolve) => ends.set(tenant, resolve));
        },
      },
      { concurrency },
    );
  const worker = createHolder(TENANTS + 10);
  onTestFinished(async () => {
    const stopping = worker.stop();
    for (const end of ends.values()) end();
    await stopping;
  });
  return {
    started,
    ends,
    createHolder,
    fill: async () => {
      for (let tenant = 0; tenant < TENANTS; tenant += 1)
        await service.submitMany(work, [{ input: 0 }, { input: 1 }], { tenant: `${tenant}` });
      await worker.start();
      await vi.waitFor(() => expect(started).toHaveLength(TENANTS), PATIENCE);
    },
  };
}

it("an end lets the next operation of its tenant begin at once among 600 full tenants", async () => {
  const { started, ends, fill } = open();
  await fill();
  for (let end = 0; end < ENDS; end += 1) {
    const tenant = `${(end * TENANTS) / ENDS}`;
    ends.get(tenant)?.();
    await vi.waitFor(() => expect(started.at(-1)).toBe(tenant), PATIENCE);
    expect(started).toHaveLength(TENANTS + end + 1);
  }
});

it("a run ends although the work of 600 full tenants is due", async () => {
  const { createHolder, fill } = open();
  await fill();
  expect(await createHolder(10).runFor({ maxMs: 60_000 })).toMatchObject({ idle: false });
}, 20_000);
