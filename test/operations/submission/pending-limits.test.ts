import {
  AsyncReplyError,
  type Backend,
  type CreateResource,
  createMemoryBackend,
  createWorker,
  defineOperation,
  defineOrders,
  type HttpResponse,
  permanentFailure,
} from "async-request-reply";
import type { OperationLimits, Submission } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../../service/open-service.js";
import { interceptBackend } from "../../support/intercept-backend.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { createTransactionStage, ORDER } from "../../support/sqlite/transaction-stage.js";
import { transactionalBackend } from "../../support/transactional-backend.js";
import { signalOf } from "../../support/worker-stage.js";

const input = z.object({ number: z.int() });

const full = { code: "BACKLOG_FULL" };
const reused = { code: "IDEMPOTENCY_KEY_REUSED" };

interface Given {
  readonly random?: number;
  readonly change?: (backend: Backend<never>, clock: ManualClock) => Backend<never>;
  readonly create?: CreateResource<{ readonly number: number }>;
}

/** A service of limited jobs, whose store may be changed. */
function stage(limits: OperationLimits, { random = 0, change = (same) => same, create }: Given = {}) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  let counts = 0;
  const { operations } = backend;
  const countPending = operations.countPending?.bind(operations);
  operations.countPending = async (requests) => {
    counts += 1;
    return (await countPending(requests)) ?? [];
  };
  const jobs = defineOperation({ name: "jobs", path: "/jobs", input, limits });
  const runtime = { clock, random: () => random };
  const created = create && { create: { jobs: create } };
  const { service } = openService([jobs], { backend: change(backend, clock), runtime, ...created });
  const submit = (number: number, options: { tenant?: string; key?: string; delayMs?: number } = {}) =>
    service.submit(jobs, { number }, { tenant: "a", ...options });
  const post = (number: number, key?: string) =>
    service.handle(jsonPost("/jobs", { number }, key === undefined ? {} : { "idempotency-key": key }));
  const work = async (): Promise<void> => {
    const worker = createWorker(service, { jobs: () => undefined });
    await worker.runUntilIdle();
    await worker.stop();
  };
  return { backend, clock, jobs, service, submit, post, work, counted: () => counts };
}

/** Expects a refusal that asks to come back after a second. */
function expectRefused({ status, headers, body }: HttpResponse, expected: number, name: string): void {
  expect([status, headers["retry-after"]]).toEqual([expected, "1"]);
  expect(JSON.parse(String(body))).toMatchObject({ name, status: expected });
}

const fill = async (submit: (number: number) => Promise<unknown>, count: number): Promise<void> => {
  for (let number = 0; number < count; number += 1) await submit(number);
};

describe("a limit of pending operations", () => {
  it("refuses further submissions with 503 `backlog-full` and a `Retry-After`, and BACKLOG_FULL in process", async () => {
    const { submit, post } = stage({ pending: 3 });
    await fill(submit, 3);
    await expect(submit(4, { tenant: "b" })).rejects.toMatchObject(full);
    expectRefused(await post(4), 503, "backlog-full");
  });

  it("of one tenant refuses that tenant alone, with 429 `too-many-pending` and TOO_MANY_PENDING", async () => {
    const { submit, post } = stage({ pendingPerTenant: 2 });
    await fill((number) => submit(number, { tenant: "anonymous" }), 2);
    await expect(submit(3, { tenant: "anonymous" })).rejects.toMatchObject({ code: "TOO_MANY_PENDING" });
    expectRefused(await post(3), 429, "too-many-pending");
    await expect(submit(3, { tenant: "b" })).resolves.toMatchObject({ replayed: false });
  });

  it("does not refuse a repeated request, which gets its operation, nor a new payload for its key", async () => {
    const { submit, post } = stage({ pending: 1 });
    const first = await submit(1, { tenant: "anonymous", key: "one" });
    await expect(submit(2)).rejects.toMatchObject(full);
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, body } = await post(1, "one");
      expect(status).toBe(202);
      expect(headers["idempotent-replayed"]).toBe("true");
      expect(JSON.parse(String(body))).toMatchObject({ operationId: first.operationId });
    }
    expect((await post(2, "one")).status).toBe(422);
    expect((await post(2, "two")).status).toBe(503);
  });

  it("counts delayed work, and forgets what has ended within a second", async () => {
    const { clock, submit, work } = stage({ pending: 2 });
    await submit(1, { delayMs: 3_600_000 });
    await submit(2);
    await expect(submit(3)).rejects.toMatchObject(full);
    await work();
    await clock.advance(1_001);
    await expect(submit(3)).resolves.toBeDefined();
    await expect(submit(4)).rejects.toMatchObject(full);
  });

  it.each([
    ["of all tenants", { pending: 5 }],
    ["of one tenant", { pendingPerTenant: 5 }],
  ])("%s holds for submissions that arrive at once, before and after the first count", async (_, limits) => {
    const { clock, submit, work } = stage(limits);
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => submit(number)));
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      await work();
      await clock.advance(2_000);
    }
  });

  it("asks the store twice a second at most, however many submissions arrive", async () => {
    const { clock, counted, submit } = stage({ pending: 1_000_000, pendingPerTenant: 1_000_000 });
    for (let ms = 0; ms < 3_000; ms += 10) {
      await submit(ms);
      await clock.advance(10);
    }
    expect(counted()).toBeGreaterThanOrEqual(3);
    expect(counted()).toBeLessThanOrEqual(6);
  });

  it("is not exceeded by failures or replays that gave their places back", async () => {
    const { submit } = stage({ pending: 3 });
    await submit(1, { key: "one" });
    for (let times = 0; times < 5; times += 1) await submit(1, { key: "one" });
    await fill(submit, 2);
    await expect(submit(4)).rejects.toMatchObject(full);
  });

  it("keeps no places of submissions whose key belongs to another payload", async () => {
    const { submit, post } = stage({ pending: 3 });
    await submit(1, { tenant: "anonymous", key: "one" });
    for (let times = 0; times < 5; times += 1) {
      await expect(submit(2, { tenant: "anonymous", key: "one" })).rejects.toMatchObject(reused);
      expect((await post(2, "one")).status).toBe(422);
    }
    await submit(3, { tenant: "b" });
    await submit(4, { tenant: "b" });
    await expect(submit(5, { tenant: "b" })).rejects.toMatchObject(full);
  });

  it.each([
    [0, "60"],
    [1, "90"],
  ])(
    "asks to come back after a tenth of the time that operations take, with jitter (%d)",
    async (random, wait) => {
      const { clock, post, work } = stage({ pending: 1 }, { random });
      // Longer times count as 10 minutes.
      for (let number = 0; number < 40; number += 1) {
        expect((await post(number)).status).toBe(202);
        await clock.advance(3_600_000);
        await work();
        await clock.advance(1_001);
      }
      await post(100);
      const { status, headers } = await post(101);
      expect(status).toBe(503);
      expect(headers["retry-after"]).toBe(wait);
    },
  );
});

describe("a limit of pending operations of a list", () => {
  it("keeps no places of refused items", async () => {
    const { jobs, service, submit } = stage({ pending: 3 });
    await submit(1, { key: "one" });
    const items = [
      { input: { number: 2 }, key: "one" },
      { input: { number: 3 }, key: "two" },
    ];
    for (let times = 0; times < 3; times += 1)
      expect(await service.submitMany(jobs, items, { tenant: "a" })).toMatchObject([
        { error: reused },
        { outcome: times === 0 ? "created" : "replayed" },
      ]);
    await submit(4);
    await expect(submit(5)).rejects.toMatchObject(full);
  });

  it("keeps no places if the store is certain that it recorded nothing", async () => {
    const { backend, jobs, service, submit } = stage({ pending: 3 });
    const { submissions } = backend;
    const recordMany = submissions.recordMany;
    const refusal = new AsyncReplyError("STORE_UNAVAILABLE", "Not now.", { recorded: "no" });
    Object.assign(submissions, { recordMany: () => Promise.reject(refusal) });
    const items = [{ input: { number: 1 } }, { input: { number: 2 } }];
    for (let times = 0; times < 5; times += 1)
      await expect(service.submitMany(jobs, items, { tenant: "a" })).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
      });
    Object.assign(submissions, { recordMany });
    await fill(submit, 3);
    await expect(submit(4)).rejects.toMatchObject(full);
  });
});

describe("a limit of pending operations with resources that are created before the reply", () => {
  const failingFor =
    (failing: number, error: Error) =>
    ({ number }: { number: number }) => {
      if (number === failing) throw error;
      return { body: { number } };
    };

  it.each([
    ["rolled back", new Error("down"), { code: "CREATION_FAILED" }],
    ["failed for good", permanentFailure("no"), undefined],
  ])("keeps no places of creations that %s", async (_, error, rejection) => {
    const change: Given["change"] = (_, clock) => transactionalBackend(clock).backend as never;
    const { submit } = stage({ pending: 3 }, { change, create: failingFor(0, error) });
    for (let times = 0; times < 5; times += 1) {
      if (rejection === undefined) await expect(submit(0)).resolves.toMatchObject({ status: "failed" });
      else await expect(submit(0)).rejects.toMatchObject(rejection);
    }
    await fill((number) => submit(number + 1), 3);
    await expect(submit(4)).rejects.toMatchObject(full);
  });

  it("keeps no places of creations that throw in the caller's transaction, nor of reused keys", async () => {
    const { backend, transactions } = transactionalBackend(createManualClock());
    const given = { change: () => backend as never, create: failingFor(0, new Error("down")) };
    const { jobs, service } = stage({ pending: 3 }, given);
    const submit = (number: number, key: string) =>
      transactions.run((tx) => service.submit(jobs, { number }, { tenant: "a", key, tx: tx as never }));
    await submit(1, "one");
    for (let times = 0; times < 5; times += 1) {
      await expect(submit(0, "zero")).rejects.toThrow("down");
      await expect(submit(2, "one")).rejects.toMatchObject(reused);
    }
    await submit(2, "two");
    await submit(3, "three");
    await expect(submit(4, "four")).rejects.toMatchObject(full);
  });

  it("keeps one place of a creation that fails again and again", async () => {
    const { submit } = stage({ pending: 3 }, { create: failingFor(0, new Error("down")) });
    for (let times = 0; times < 5; times += 1)
      await expect(submit(0, { key: "one" })).rejects.toMatchObject({ code: "CREATION_FAILED" });
    await fill((number) => submit(number + 1), 2);
    await expect(submit(4)).rejects.toMatchObject(full);
  });
});

describe("a place of the backlog that a replay releases", () => {
  it("after a count that did not find its operation does not make that count too low", async () => {
    const held = signalOf();
    let repeats = 0;
    const change: Given["change"] = (backend) =>
      interceptBackend(backend, async ({ method, args }, proceed) => {
        const isKeyed = method === "record" && (args[0] as Submission).operation.key !== undefined;
        if (isKeyed && ++repeats === 2) await held.promise;
        return proceed();
      }) as Backend<never>;
    const { clock, submit } = stage({ pending: 3 }, { change });
    await submit(1, { key: "one" });
    const repeated = submit(1, { key: "one" });
    await clock.advance(600);
    await submit(1, { key: "one" });
    await clock.advance(0);
    held.resolve();
    await expect(repeated).resolves.toMatchObject({ replayed: true });
    await submit(2);
    await submit(3);
    await expect(submit(4)).rejects.toMatchObject(full);
  });
});

describeClients("a limit of pending operations in a synchronous transaction", (client) => {
  it("gets a place back once, however often a prepared submission is recorded", async () => {
    const { database, backend, file } = createTransactionStage(client);
    const orders = defineOrders({ limits: { pending: 3 } });
    const { service } = openService([orders], { backend });
    try {
      const submit = (key: string) => service.submit(orders, ORDER, { tenant: "a", key });
      await submit("one");
      const prepared = await service.prepare(orders, ORDER, { tenant: "a", key: "one" });
      for (let times = 0; times < 5; times += 1) {
        database.exec("begin immediate");
        expect(prepared.record(database)).toMatchObject({ replayed: true });
        database.exec("commit");
      }
      await submit("two");
      await submit("three");
      await expect(submit("four")).rejects.toMatchObject(full);
    } finally {
      await backend.close();
      await file.remove();
    }
  });
});
