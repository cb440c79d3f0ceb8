import { allowAnonymous, createOrderService, defineOperation } from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";
import { testMistakes, untyped } from "../support/untyped.js";
import { openService } from "./open-service.js";

const named = { name: "jobs", path: "/jobs", input: z.object({ customer: z.string() }) } as const;
const jobs = defineOperation(named);
const late = defineOperation({ ...named, startWithinMs: 5_000 });
const tenant = "anonymous";

/** Every wrong value of the option, with its sentence. */
const MISTAKES = [
  ...[0, Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY].map(
    (value) =>
      [value, `Option \`startWithinMs\` must be a whole number greater than 0, not ${value}.`] as const,
  ),
  [999, "Option `startWithinMs` must be at least 1000 milliseconds, not 999."],
  [3_155_760_000_001, "Option `startWithinMs` is 3155760000001. Pass at most 3155760000000 (100 years)."],
  ["5 s", 'Option `startWithinMs` must be a whole number greater than 0, not "5 s".'],
] as const;

describe("the deadline of a definition", () => {
  testMistakes(
    MISTAKES.map(([value, message]) => [
      `of ${value}`,
      message,
      () => untyped.defineOperation({ ...named, startWithinMs: value }),
    ]),
  );

  it.each([1_000, 3_155_760_000_000])("can be %d ms", (startWithinMs) => {
    expect(defineOperation({ ...named, startWithinMs })).toMatchObject({ startWithinMs });
  });

  it("is absent by default", () => {
    expect(jobs).not.toHaveProperty("startWithinMs");
  });

  it("can be that of orders", () => {
    const service = createOrderService({ authorize: allowAnonymous(), startWithinMs: 2_000, observe: false });
    expect(service.definitions[0].startWithinMs).toBe(2_000);
  });
});

describe("the deadline of a submission", () => {
  const { service, backend } = openService([late]);
  const submit = (options: object) => service.submit(late, { customer: "a" }, { tenant, ...options });

  it.each(MISTAKES)("of %s is refused with a sentence", async (startWithinMs, detail) => {
    await expect(submit({ startWithinMs })).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it.each([
    ["is that of the definition", {}, 5_000],
    ["is the one that the call chose", { startWithinMs: 9_000 }, 9_000],
  ])("%s", async (_, options, expected) => {
    const { operationId } = await submit(options);
    expect(await backend.operations.get(operationId, tenant)).toMatchObject({ startWithinMs: expected });
  });

  it("counts from when the resource exists that the service creates before the reply", async () => {
    const create = { jobs: () => ({ body: { status: "pending" } }) };
    const { service, backend } = openService([late], { create });
    const { operationId } = await service.submit(late, { customer: "a" }, { tenant, startWithinMs: 9_000 });
    expect(await backend.operations.get(operationId, tenant)).toMatchObject({
      state: "pending",
      startWithinMs: 9_000,
    });
  });

  it("stays if a repeated request finds that a worker has just created the resource", async () => {
    const { backend: memory, clock } = openService([late]);
    const token = "of a worker";
    const leased = { name: "jobs", slots: 1, leaseMs: 1_000, suspects: 1 };
    const operations = replacing(memory.operations, {
      claim: async (request) => {
        const { begun } = await memory.operations.claim({ token, definitions: [leased], limit: 1 });
        for (const { operation } of begun)
          await memory.operations.settle(
            { operationId: operation.id, token },
            { to: "prepared", resource: "1" },
          );
        return memory.operations.claim(request);
      },
    });
    const { service } = openService([late], {
      backend: { ...memory, operations },
      create: { jobs: () => Promise.reject(new Error("The first try fails.")) },
    });
    const submit = () => service.submit(late, { customer: "a" }, { tenant, key: "one" });
    await expect(submit()).rejects.toMatchObject({ code: "CREATION_FAILED" });
    const { operationId } = await submit();
    await clock.advance(5_001);
    expect(await memory.operations.endOverdue({ limit: 9 })).toMatchObject([{ id: operationId }]);
  });
});
