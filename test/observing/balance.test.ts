import {
  AsyncReplyError,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks } from "async-request-reply/webhooks";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { transactionalBackend } from "../support/transactional-backend.js";

const HOUR_MS = 3_600_000;
const orders = defineOperation({ name: "orders", path: "/orders", input: z.unknown() });
const rooms = defineOperation({ name: "rooms", path: "/rooms", input: z.unknown() });
const webhooks = createWebhooks({ endpoint: async () => undefined });
const definitions = [orders, rooms] as const;

/** Returns what was accepted less what has ended, by definition. */
async function backlog(
  clock: { now(): number; advance(ms: number): Promise<void> },
  operator: Pick<ReturnType<typeof createOperator>, "series">,
) {
  await clock.advance(20_000);
  const range = { from: new Date(0), to: new Date(clock.now() + HOUR_MS), stepMs: 1_000 * 24 * HOUR_MS };
  const steps = await operator.series({ ...range, internal: true });
  return Object.fromEntries(
    steps.map(({ definition, accepted, completed, failed, cancelled }) => [
      definition,
      { accepted, left: accepted - completed - failed - cancelled },
    ]),
  );
}

describeClients("the counts of accepted operations", (client) => {
  it("less those of ended ones are the pending ones, after a mixed history", async () => {
    const file = newDatabaseFile(client);
    const database = file.connect();
    const clock = createManualClock();
    const runtime = { clock, random: () => 0.5 };
    const backend = createSqliteBackend({ database, synchronous: "normal", runtime });
    onTestFinished(async () => {
      await service.close();
      await file.remove();
    });
    const shared = { definitions, backend, runtime, observe: false } as const;
    const create = {
      rooms: (input: unknown) => {
        if (input === "refused") throw permanentFailure("There is no such room.");
        return { body: {} };
      },
    };
    const service = createService({ ...shared, create, webhooks });
    const operator = createOperator(shared);
    const prepared = await Promise.all([1, 2].map(() => service.prepare(orders, "completes", {})));
    for (const [index, end] of ["rollback", "commit"].entries()) {
      database.exec("begin immediate");
      prepared[index]?.record(database);
      database.exec(end);
    }
    await service.submitMany(orders, [{ input: "completes" }, { input: "fails" }, { input: "completes" }]);
    const failing = await service.submit(orders, "fails");
    const cancelled = await service.submit(orders, "completes");
    await operator.cancel(cancelled.operationId);
    await service.submit(orders, "expires", { startWithinMs: 1_000 });
    await clock.advance(1_000);
    await service.submit(rooms, "refused");
    await service.submit(rooms, "completes", { key: "k" });
    await service.submit(rooms, "completes", { key: "k" });
    const worker = createWorker(
      service,
      {
        orders: (input) => {
          if (input === "fails") throw new Error("no");
        },
        rooms: () => {},
      },
      { maxAttempts: 2, backoff: { baseMs: 1, maxMs: 1 } },
    );
    await worker.runUntilIdle();
    await clock.advance(10);
    await worker.runUntilIdle();
    await operator.redrive(failing.operationId);
    await service.submit(orders, "later", { delayMs: HOUR_MS });
    const left = await backlog(clock, operator);
    const stats = await backend.operations.stats({
      definitions: ["orders", "rooms", webhooks.definition.name],
    });
    for (const { definition, due, running, scheduled } of stats)
      expect([definition, left[definition]?.left]).toEqual([
        definition,
        due.count + running.count + scheduled.count,
      ]);
    expect(left).toEqual({
      orders: { accepted: 9, left: 2 },
      rooms: { accepted: 2, left: 0 },
      [webhooks.definition.name]: { accepted: 9, left: 0 },
    });
    const steps = await operator.series({ from: new Date(0), to: new Date(1), stepMs: 60_000 });
    expect(steps).toEqual([]);
  });
});

it("counts what is submitted in a transaction once that has committed, and never if it was rolled back", async () => {
  const clock = createManualClock();
  const { backend, transactions } = transactionalBackend(clock);
  const shared = { definitions, backend, runtime: { clock }, observe: false } as const;
  const service = createService(shared);
  const operator = createOperator(shared);
  const submitTo = (failure?: Error) =>
    transactions.run(async (tx) => {
      await service.submit(orders, 1, { tx });
      await service.submitMany(orders, [{ input: 2 }, { input: 3 }], { tx });
      if (failure !== undefined) throw failure;
    });
  await expect(submitTo(new Error("no"))).rejects.toThrow("no");
  expect(await backlog(clock, operator)).toEqual({});
  await submitTo();
  expect(await backlog(clock, operator)).toEqual({ orders: { accepted: 3, left: 3 } });
  await clock.advance(HOUR_MS);
  expect(await backlog(clock, operator)).toEqual({ orders: { accepted: 3, left: 3 } });
});

it("counts a submission once if the answer of the store was lost, whether it is repeated or not", async () => {
  const clock = createManualClock();
  let lost = 0;
  const memory = createMemoryBackend({ clock });
  const submissions = replacing(memory.submissions, {
    record: async (submission) => {
      const result = await memory.submissions.record(submission);
      lost += 1;
      if (lost <= 2) throw new AsyncReplyError("STORE_UNAVAILABLE", "The answer was lost.");
      return result;
    },
  });
  const shared = {
    definitions,
    backend: { ...memory, submissions },
    runtime: { clock },
    observe: false,
  } as const;
  const service = createService(shared);
  const operator = createOperator(shared);
  await expect(service.submit(orders, 1)).rejects.toMatchObject({ code: "SUBMISSION_UNCERTAIN" });
  await expect(service.submit(orders, 2, { key: "k" })).rejects.toMatchObject({
    code: "SUBMISSION_UNCERTAIN",
  });
  expect(await service.submit(orders, 2, { key: "k" })).toMatchObject({ replayed: true });
  expect(await backlog(clock, operator)).toEqual({ orders: { accepted: 2, left: 2 } });
});
