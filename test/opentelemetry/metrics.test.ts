import { createMemoryBackend, createService, createWorker, permanentFailure } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it, onTestFinished } from "vitest";
import { METRICS } from "../../src/opentelemetry/metric-descriptions.js";
import { claimOne } from "../support/claims.js";
import { status } from "../support/webhooks/receiver.js";
import { exportsOf } from "../support/webhooks/stage.js";
import { announce, openStage } from "../webhooks/stage.js";
import { type Measured, record } from "./telemetry.js";

const name = (short: string): string => `async_request_reply.${short}`;
const limited = { ...exportsOf, limits: { running: 4 } };
const byOutcome = (values: readonly Measured[]): unknown =>
  Object.fromEntries(values.map(({ attributes, value }) => [attributes.outcome, value]));

describe("the metrics", () => {
  it("count submissions by outcome, and refusals by problem type", async () => {
    const stage = await openStage();
    const recording = record();
    const key = { "idempotency-key": '"k1"' };
    await stage.post("complete", key);
    await stage.post("complete", key);
    await stage.post("refuse", key);
    await stage.post("nothing");
    const outcomes = { accepted: 1, replayed: 1, refused: 2 };
    expect(byOutcome(await recording.values(name("submissions")))).toEqual(outcomes);
    expect(await recording.values(name("refusals"))).toEqual([
      { attributes: { definition: "exports", type: "idempotency-key-reused" }, value: 1 },
      { attributes: { definition: "exports", type: "contract-violation" }, value: 1 },
    ]);
  });

  it("count attempts by outcome, and measure runs, time in the queue and time to the end", async () => {
    const recording = record();
    const backend = createMemoryBackend();
    const service = createService({ definitions: [exportsOf], backend, observe: false });
    onTestFinished(() => service.close());
    for (const outcome of ["complete", "refuse", "mend"] as const)
      await service.submit(exportsOf, { outcome }, { tenant: "acme" });
    const run = ({ outcome }: { readonly outcome: string }): void => {
      if (outcome === "refuse") throw permanentFailure("It cannot be done.");
      if (outcome === "mend") throw new Error("later");
    };
    const source = { ...service, runtime: { random: () => 0.99 } };
    const backoff = { baseMs: 3_600_000, maxMs: 3_600_000 };
    await createWorker(source, { exports: run }, { backoff }).runUntilIdle();
    const outcomes = { completed: 1, failed: 1, retried: 1 };
    expect(byOutcome(await recording.values(name("attempts")))).toEqual(outcomes);
    expect(byOutcome(await recording.values(name("process.duration")))).toEqual(outcomes);
    expect(await recording.values(name("queue.duration"))).toEqual([
      { attributes: { definition: "exports" }, value: 3 },
    ]);
    const ended = { completed: 1, failed: 1 };
    expect(byOutcome(await recording.values(name("operation.duration")))).toEqual(ended);
  });

  it("count attempts to deliver webhooks by outcome", async () => {
    const stage = await openStage();
    stage.receiver.answer(status(503), status(410));
    const recording = record();
    await stage.submit();
    await stage.workFor(10_000);
    await announce(stage);
    const outcomes = { delivered: 1, retried: 1, failed: 1 };
    expect(byOutcome(await recording.values(name("webhook.deliveries")))).toEqual(outcomes);
    expect(byOutcome(await recording.values(name("webhook.duration")))).toEqual(outcomes);
  });

  it("count a delivery without an endpoint as skipped", async () => {
    const stage = await openStage({ endpoint: () => undefined });
    const recording = record();
    await announce(stage);
    expect(byOutcome(await recording.values(name("webhook.deliveries")))).toEqual({ skipped: 1 });
  });

  it("count a delivery as postponed if nothing was sent because others take long", async () => {
    const stage = await openStage();
    const recording = record();
    stage.receiver.answer(...new Array(3).fill(() => {}));
    for (let count = 0; count < 5; count += 1) await stage.submit();
    const working = stage.work();
    await expect.poll(() => stage.receiver.received.length).toBe(3);
    await stage.clock.advance(15_000);
    await working;
    // The others found no place again and again, until the receiver had timed out three times.
    const outcomes = byOutcome(await recording.values(name("webhook.deliveries")));
    expect(outcomes).toEqual({ retried: 3, postponed: expect.any(Number) });
    expect(outcomes).not.toMatchObject({ postponed: 0 });
  });

  it("measure the queue of each definition when they are collected", async () => {
    const { backend, service, clock, work } = await openStage();
    const definitions = [exportsOf];
    const operator = createOperator({ backend, definitions, runtime: { clock }, observe: false });
    const recording = record({ operator });
    const read = (): Promise<unknown> =>
      Promise.all([recording.values(name("queue.depth")), recording.values(name("oldest_due.age"))]);
    const expected = (depth: number, age: number): unknown =>
      [depth, age].map((value) => [{ attributes: { definition: "exports" }, value }]);
    expect(await read()).toEqual(expected(0, 0));
    const options = { tenant: "acme" };
    await service.submit(exportsOf, { outcome: "complete" }, options);
    await service.submit(exportsOf, { outcome: "complete" }, { ...options, delayMs: 3_600_000 });
    await clock.advance(5_000);
    await service.submit(exportsOf, { outcome: "complete" }, options);
    expect(await read()).toEqual(expected(2, 5));
    await work();
    expect(await read()).toEqual(expected(0, 0));
  });

  it("measure what runs, the limit, and whether a definition is paused", async () => {
    const { backend, service, clock } = await openStage();
    const definitions = [limited];
    const operator = createOperator({ backend, definitions, runtime: { clock }, observe: false });
    const recording = record({ operator });
    const read = async (): Promise<unknown> => {
      const names = ["queue.running", "queue.limit", "queue.paused"];
      const all = await Promise.all(names.map((each) => recording.values(name(each))));
      return all.map(([first]) => first?.value);
    };
    const { operationId } = await service.submit(exportsOf, { outcome: "complete" }, { tenant: "acme" });
    expect(await read()).toEqual([0, 4, 0]);
    await claimOne(backend.operations, operationId, { token: "t", leaseMs: 30_000 });
    await operator.pause("exports");
    expect(await read()).toEqual([1, 4, 1]);
  });

  it("measure how many requests and calls wait", async () => {
    const { service, clock, work, submit } = await openStage();
    const recording = record({ service });
    const waiters = async (): Promise<unknown> => (await recording.values(name("waiters")))[0]?.value;
    expect(await waiters()).toBe(0);
    const path = `/operations/${await submit()}`;
    const waiting = service.handle({ method: "GET", path, headers: { prefer: "wait=60" } });
    await expect.poll(waiters).toBe(1);
    await work();
    await clock.advance(1_000);
    await waiting;
    expect(await waiters()).toBe(0);
  });

  it("have no attribute that names a tenant, an operation or a key", async () => {
    const { backend, service, submit, work } = await openStage();
    const operator = createOperator({ backend, definitions: [exportsOf], observe: false });
    const recording = record({ operator, service });
    await submit("refuse", { "idempotency-key": '"k1"' });
    await work();
    const attributes = new Set<string>();
    for (const metric of await recording.names())
      for (const each of await recording.values(metric))
        for (const attribute of Object.keys(each.attributes)) attributes.add(attribute);
    expect([...attributes].sort()).toEqual(["definition", "outcome"]);
  });

  it("are exactly those that are described", async () => {
    const { backend, service, post, submit, work } = await openStage();
    const operator = createOperator({ backend, definitions: [limited], observe: false });
    const recording = record({ operator, service });
    await submit();
    await post("nothing");
    await work();
    const described = Object.values(METRICS).map((metric) => metric.name);
    expect([...(await recording.names())].sort()).toEqual(described.sort());
  });
});
