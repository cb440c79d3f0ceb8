import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import * as z from "zod";

const logs = defineOperation({ name: "logs", path: "/logs", input: z.unknown(), chunk: z.string() });
const plain = defineOperation({ name: "plain", path: "/plain", input: z.unknown() });

/** Runs a worker, and answers its sweeps with these numbers of deleted rows. Returns the limits that it asked with. */
async function sweepWith(
  answers: readonly (number | Error)[],
  definition: typeof logs | typeof plain = logs,
) {
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const limits: number[] = [];
  const clean = async ({ limit }: { readonly limit: number }): Promise<number> => {
    const answer = answers[limits.push(limit) - 1] ?? 0;
    if (typeof answer === "number") return answer;
    throw answer;
  };
  const backend: Backend = { ...memory, output: { ...memory.output, clean } };
  const events: ServiceEvent[] = [];
  const service = createService({
    definitions: [definition],
    backend,
    runtime: { clock },
    observe: (event) => events.push(event),
  });
  await service.submit(definition, {});
  await createWorker(service, { [definition.name]: () => {} }).runUntilIdle();
  return { limits, events };
}

it("deletes discarded output in batches while they are full", async () => {
  const { limits } = await sweepWith([500, 500, 3]);
  expect(limits).toEqual([500, 500, 500]);
});

it("reports an error and goes on", async () => {
  const error = new Error("no");
  const { events } = await sweepWith([error]);
  expect(events).toContainEqual({ event: "background.failed", step: "clean-output", error });
});

it("asks for nothing if no definition has output or checkpoints", async () => {
  const { limits } = await sweepWith([], plain);
  expect(limits).toEqual([]);
});
