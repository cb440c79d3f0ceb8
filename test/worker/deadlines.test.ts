import {
  createMemoryBackend,
  createWorker,
  defineOperation,
  type ServiceEvent,
  withStores,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";
import { declareDeadlines } from "./deadlines.js";

describe("work with a deadline, in memory", () => {
  declareDeadlines(() => {
    const clock = createManualClock();
    return { backend: createMemoryBackend({ clock }), pass: (ms) => clock.advance(ms) };
  });

  it("is reported once if the worker is too late to begin it, before any sweep", async () => {
    const clock = createManualClock();
    const memory = createMemoryBackend({ clock });
    const unswept = replacing(memory.operations, { endOverdue: async () => [] });
    const backend = withStores(memory, { operations: unswept });
    const codes = defineOperation({
      name: "codes",
      path: "/codes",
      input: z.object({}),
      startWithinMs: 1_000,
    });
    const operation = { id: "01a1fb0e-5781-7461-97e0-78a248067be3", tenant: "t", definition: "codes" };
    const createdAt = clock.now();
    await backend.operations.create({ ...operation, input: "{}", retentionMs: 60_000, startWithinMs: 1_000 });
    const announcement = { version: 1, operationId: operation.id, definition: "codes" } as const;
    await clock.advance(1_000);
    await backend.queue.publish(["first", "second"].map((id) => ({ ...announcement, id })));
    const events: ServiceEvent[] = [];
    const ran: string[] = [];
    const observe = (event: ServiceEvent): void => void events.push(event);
    await createWorker(
      { definitions: [codes], backend, observe },
      { codes: (_, { operationId }) => void ran.push(operationId) },
    ).runUntilIdle();
    const about = { operationId: operation.id, definition: "codes", tenant: "t", createdAt };
    expect(events).toEqual([{ event: "operation.expired", ...about }]);
    expect(ran).toEqual([]);
  });
});
