import { createService, createWorker, defineOrders } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { declareErrorTexts } from "../../support/error-texts.js";
import { declareJobRelease } from "../../support/job-release.js";
import { declareRunFor } from "../../support/run-for.js";
import { declareRunUntilIdle } from "../../support/run-until-idle.js";
import { declareDeadlines } from "../../worker/deadlines.js";
import { declarePlaces } from "../../worker/places.js";
import { describeFile } from "./per-test.js";

describeFile("work with a deadline, on SQLite", (file) => {
  declareDeadlines(() => {
    const clock = createManualClock();
    return { backend: file.open({ runtime: { clock } }), pass: (ms) => clock.advance(ms) };
  });
});

describeFile("an error of a processor, on an SQLite file", (file) => declareErrorTexts(() => file.open()));

describeFile("runFor on an SQLite file", (file) => declareRunFor(() => file.open()));

describeFile("runUntilIdle on an SQLite file", (file) => declareRunUntilIdle(() => file.open()));

describeFile("work that waits for a place, on SQLite", (file) => {
  const options = { pollIntervalMs: 60_000 };
  declarePlaces((clock) => file.open(clock ? { ...options, runtime: { clock } } : options), {
    anyClock: true,
  });
});

describeFile("job.release on an SQLite file", (file) => {
  declareJobRelease((clock) => ({ backend: file.open({ runtime: { clock } }), pass: async () => {} }));

  it("rolls the transaction back, and has no effect after the commit", async () => {
    const backend = file.open();
    const orders = defineOrders();
    const service = createService({ definitions: [orders], backend, observe: false });
    const submit = () => service.submit(orders, { itemId: "a", quantity: 1 });
    const first = await submit();
    const within = createWorker(service, {
      orders: (_, job) => job.transaction(() => job.release()),
    });
    expect(await within.runUntilIdle()).toMatchObject({ released: 1, completed: 0 });
    expect(await backend.operations.get(first.operationId, "default")).toMatchObject({
      state: "pending",
      attempt: 0,
    });
    const second = await submit();
    const after = createWorker(service, {
      orders: async (_, job) => {
        await job.transaction(() => "done");
        return job.release();
      },
    });
    expect(await after.runUntilIdle()).toMatchObject({ released: 0, completed: 1 });
    expect((await backend.operations.get(second.operationId, "default"))?.state).toBe("completed");
  });
});
