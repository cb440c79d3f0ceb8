import { defineOperation, type StandardSchema } from "async-request-reply";
import { expect, it } from "vitest";
import { createStage, signalOf } from "../../support/worker-stage.js";
import { submitted } from "../stage.js";

it("does not start the processor if the attempt ended while a schema still checked the input", async () => {
  const [validating, validated] = [signalOf(), signalOf()];
  let calls = 0;
  const validate = async (value: unknown) => {
    calls += 1;
    // The first call is that of the submission.
    if (calls > 1) {
      validating.resolve();
      await validated.promise;
    }
    return { value };
  };
  const input: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
  const orders = defineOperation({ name: "orders", path: "/orders", input });
  const { id, read, worker, clock } = await submitted(createStage([orders]));
  let started = 0;
  const run = () => {
    started += 1;
  };
  const idle = worker({ orders: run }, { attemptTimeoutMs: 5_000, maxAttempts: 1 }).runUntilIdle();
  await validating.promise;
  await clock.advance(5_000);
  await idle;
  validated.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await read(id)).state).toBe("failed");
  expect(started).toBe(0);
});
