import { defineOperation, defineOrders, permanentFailure, type StandardSchema } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { anything } from "../support/careless-schema.js";
import { failOnUnhandledRejections, unreadable } from "../support/unreadable.js";
import { createStage, errorOf } from "../support/worker-stage.js";
import { failing, submitted } from "./stage.js";

failOnUnhandledRejections();

type Validate = StandardSchema["~standard"]["validate"];

/** Creates work with one failing item. The schemas of its definition may cause the failure. */
function createWork(schemas: { readonly input?: Validate; readonly result?: Validate }) {
  const schemaOf = (validate: Validate): StandardSchema => ({
    "~standard": { version: 1, vendor: "test", validate },
  });
  const reports = defineOperation({
    name: "reports",
    path: "/reports",
    input: schemas.input === undefined ? anything : schemaOf(schemas.input),
    ...(schemas.result === undefined ? {} : { result: schemaOf(schemas.result) }),
  });
  return createStage([reports]);
}

const isBad = (value: unknown): boolean => (value as { readonly bad?: boolean }).bad === true;

describe("a queue that breaks its contract", () => {
  it.each(["publish", "listen", "want", "close"])(
    "by throwing in `%s` stops neither the worker nor the process, and the work is done",
    async (method) => {
      const broken = { [method]: failing(new Error("not a promise")) };
      const listening = { want: () => {}, close: async () => {}, ...broken };
      const queue = { publish: async () => {}, listen: () => listening, close: async () => {}, ...broken };
      const stage = createStage([defineOrders()], (backend) => ({ ...backend, queue }));
      const { id, clock, read, worker } = await submitted(stage);
      const working = worker({ orders: () => "done" });
      await working.start();
      for (let turn = 0; turn < 20; turn += 1) await clock.advance(1_000);
      expect(await read(id)).toMatchObject({ state: "completed" });
      await working.stop();
    },
  );
});

describe.each(unreadable.map(([name]) => name))("%s", (name) => {
  const hostile = new Map(unreadable).get(name);
  const rethrow = failing(hostile);

  /** Runs two attempts of the failing operation, next to one that succeeds. */
  async function endOf(stage: ReturnType<typeof createWork>, work: () => unknown = () => "done") {
    const bad = await stage.submit({ bad: true });
    const good = await stage.submit({ bad: false });
    const reports = (input: unknown) => (isBad(input) ? work() : "done");
    const worker = stage.worker({ reports }, { maxAttempts: 2 });
    await worker.runUntilIdle();
    expect(await stage.read(good)).toMatchObject({ state: "completed", attempt: 1 });
    expect(await stage.read(bad)).toMatchObject({ state: "pending", attempt: 1 });
    await stage.clock.advance(1_000);
    await worker.runUntilIdle();
    return stage.read(bad);
  }

  const failures: Readonly<Record<string, () => unknown>> = {
    "thrown by a processor": rethrow,
    "rejected by a processor": () => Promise.reject(hostile),
    "returned by a processor": () => hostile,
    "the cause of what a processor throws": failing(new Error("wrapped", { cause: hostile })),
  };

  it.each(Object.entries(failures))(
    "is retried and then fails only its own operation: %s",
    async (_, work) => {
      const ended = await endOf(createWork({}), work);
      expect(ended).toMatchObject({ state: "failed", attempt: 2 });
      expect(errorOf(ended).type).toBe(problemType("attempts-exhausted"));
    },
  );

  it.each([
    ["thrown", rethrow],
    ["rejected", () => Promise.reject(hostile)],
    ["returned", () => hostile],
    ["among its issues", () => ({ issues: [hostile] })],
  ])("is retried and then fails only its own operation: %s by the schema of results", async (_, run) => {
    const result: Validate = (value) => (value === "bad" ? (run() as never) : { value });
    const ended = await endOf(createWork({ result }), () => "bad");
    expect(ended).toMatchObject({ state: "failed", attempt: 2 });
    expect(errorOf(ended).type).toBe(problemType("attempts-exhausted"));
  });

  it("is retried and then fails only its own operation: thrown by the schema of the input", async () => {
    let calls = 0;
    const input: Validate = (value) => {
      if (isBad(value)) calls += 1;
      // The first call belongs to the submission.
      return calls > 1 && isBad(value) ? rethrow() : { value };
    };
    const ended = await endOf(createWork({ input }), () => "never reached");
    expect(ended).toMatchObject({ state: "failed", attempt: 2 });
  });

  it("stops neither a started worker nor the process", async () => {
    const { submit, read, worker, clock } = createWork({});
    const bad = await submit({ bad: true });
    const working = worker({ reports: (input) => (isBad(input) ? rethrow() : {}) }, { concurrency: 1 });
    await working.start();
    while ((await read(bad)).attempt === 0) await clock.advance(1);
    const good = await submit({ bad: false });
    while ((await read(good)).state === "pending") await clock.advance(1);
    expect(await read(bad)).toMatchObject({ state: "pending", attempt: 1 });
    await working.stop();
  });

  it("fails the operation permanently as the cause of a permanent failure", async () => {
    const { id, read, worker } = await submitted(createWork({}), { bad: true });
    await worker({ reports: failing(permanentFailure("Sold out.", hostile)) }).runUntilIdle();
    expect(errorOf(await read(id)).detail).toBe("Sold out.");
  });

  it("is dropped as progress, and refused as part of a result", async () => {
    const { id, read, worker, events } = await submitted(createWork({}), { bad: true });
    const reports = (_: unknown, job: { progress(value: unknown): void }) => {
      job.progress({ hostile });
      return { hostile };
    };
    await worker({ reports }).runUntilIdle();
    expect(events).toMatchObject([
      { event: "operation.accepted" },
      { event: "operation.started" },
      { event: "progress.dropped", error: { code: "INVALID_RESULT" } },
      { event: "operation.failed", error: { code: "INVALID_RESULT" } },
    ]);
    expect(errorOf(await read(id)).type).toBe(problemType("invalid-result"));
  });
});
