import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { expect, it } from "vitest";
import { anything } from "../support/careless-schema.js";

it("names the worker of an attempt as the event of its start does, so that its logs can be found", async () => {
  const backend = createMemoryBackend();
  const definitions = [defineOperation({ name: "orders", path: "/orders", input: anything })] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const operator = createOperator({ backend, definitions, observe: false });
  const processes: string[] = [];
  const observe = (event: { readonly event: string; readonly process?: string }): void => {
    if (event.event === "operation.started") processes.push(event.process ?? "none");
  };
  const workers = [1, 2].map(() => createWorker({ definitions, backend, observe }, { orders: () => {} }));
  const ids: string[] = [];
  for (const worker of workers) {
    ids.push((await service.submit(definitions[0], 1, { tenant: "a" })).operationId);
    await worker.runUntilIdle();
  }
  const shown = await Promise.all(ids.map(async (id) => (await operator.get(id))?.attempts[0]?.process));
  expect(shown).toEqual(processes);
  expect(new Set(processes).size).toBe(2);
  await service.close();
});
