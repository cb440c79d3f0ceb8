import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { claimOne } from "../support/claims.js";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.unknown() });
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);

/** An operation that a worker has served the definition of for the first 90 s, and that nothing runs. */
async function createServedStage() {
  const clock = createManualClock(START);
  const backend = createMemoryBackend({ clock });
  const definitions = [orders] as const;
  const shared = { runtime: { clock }, observe: false } as const;
  const service = createService({ definitions, backend, ...shared });
  const worker = createWorker(service, { orders: () => {} });
  await worker.start();
  await clock.advance(90_000);
  await worker.stop();
  const operator = createOperator({ backend, definitions, ...shared });
  const submit = async () => (await service.submit(orders, {}, { tenant: "a" })).operationId;
  const id = await submit();
  return { clock, backend, submit, id, explain: () => operator.explain(id) };
}

const due = { count: 1, more: false };

describe("an operation that no worker begins", () => {
  it.each([
    ["minutes", 10 * MINUTE_MS],
    ["hours", 5 * 3_600_000],
    ["days", 6 * DAY_MS],
  ])("tells since when no process has served its definition, after %s", async (_, passedMs) => {
    const { clock, explain } = await createServedStage();
    await clock.advance(passedMs);
    const servedAt = new Date(START + MINUTE_MS);
    expect(await explain()).toEqual([{ reason: "no-worker", due, oldestDueMs: passedMs, servedAt }]);
  });

  it.each([
    ["while one may still serve it", MINUTE_MS],
    ["after more than a week", 8 * DAY_MS],
  ])("does not tell that %s", async (_, passedMs) => {
    const { clock, explain } = await createServedStage();
    await clock.advance(passedMs);
    expect(await explain()).toEqual([{ reason: "no-worker", due, oldestDueMs: passedMs }]);
  });

  it("does not wait for a slot of a process that serves the definition no more", async () => {
    const { clock, backend, submit, explain } = await createServedStage();
    await claimOne(backend.operations, await submit(), { token: "t", leaseMs: DAY_MS });
    expect(await explain()).toEqual([{ reason: "queued", due, running: due }]);
    await clock.advance(10 * MINUTE_MS);
    expect(await explain()).toMatchObject([{ reason: "no-worker", servedAt: new Date(START + MINUTE_MS) }]);
  });
});
