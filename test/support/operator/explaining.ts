import { createService, defineOperation } from "async-request-reply";
import { createOperator, type WaitingReason } from "async-request-reply/operator";
import { expect } from "vitest";
import * as z from "zod";
import { claimOne } from "../claims.js";
import { type Scenario, scenariosOf } from "./scenarios.js";
import type { OperatorStage } from "./stage.js";

const one = { count: 1, more: false };
const two = { count: 2, more: false };
const TENANT = { tenant: "a" };
const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";

/** Work of which one operation may run, and one of each lane. */
const limited = defineOperation({
  name: "limited",
  path: "/limited",
  input: z.object({ lane: z.string() }),
  serialBy: ({ lane }) => lane,
  limits: { running: 1 },
});

/** The same, if one may run of each tenant. */
const limitedPerTenant = defineOperation({
  name: "limited",
  path: "/limited",
  input: z.object({ lane: z.string() }),
  limits: { runningPerTenant: 1 },
});

/** Adds a service of limited work to a stage, which nothing works on by itself. */
function withLimited({ backend }: OperatorStage, definition: typeof limited = limited) {
  const definitions = [definition] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const operator = createOperator({ backend, definitions, observe: false });
  return {
    operator,
    submit: async (lane: string, options: { readonly delayMs?: number; readonly tenant?: string } = {}) =>
      (await service.submit(definition, { lane }, { ...TENANT, ...options })).operationId,
    /** Begins an attempt, and returns its lease. */
    begin: async (operationId: string, leaseMs = 60_000) => {
      const token = operationId;
      expect(
        await claimOne(backend.operations, operationId, { token, leaseMs, limits: definition.limits }),
      ).toBeDefined();
      return { operationId, token };
    },
  };
}

const FAILED = (attempt: number): string =>
  JSON.stringify({ type: "about:blank", title: "Failed", detail: "broken", attempt, at: 1_000 });

/** Returns how long a wait takes from now. Milliseconds. */
function untilOf(reason: WaitingReason | undefined): number {
  return reason !== undefined && "until" in reason ? Number(reason.until) - Date.now() : Number.NaN;
}

/** Scenarios in which an operator asks why an operation does not run. */
export const explainingScenarios: readonly Scenario[] = scenariosOf({
  "explains that nothing works on an operation that is due, and nothing once it has ended": async ({
    operator,
    submit,
    work,
  }) => {
    const id = await submit("complete");
    const oldestDueMs = expect.any(Number);
    expect(await operator.explain(id)).toEqual([{ reason: "no-worker", due: one, oldestDueMs }]);
    await work();
    expect(await operator.explain(id)).toEqual([]);
    expect(await operator.explain(UNKNOWN)).toBeUndefined();
  },
  "explains a pause and who paused, beside a delay": async (stage) => {
    const { operator, submit } = withLimited(stage);
    const id = await submit("x", { delayMs: 3_600_000 });
    const [delayed] = (await operator.explain(id)) ?? [];
    expect(delayed).toEqual({ reason: "delayed", until: expect.any(Date) });
    expect(Math.abs(untilOf(delayed) - 3_600_000)).toBeLessThan(60_000);
    await operator.pause("limited", { by: "ann" });
    expect(await operator.explain(id)).toEqual([
      { reason: "paused", since: expect.any(Date), by: "ann" },
      { reason: "delayed", until: expect.any(Date) },
    ]);
  },
  "explains one operation, whatever others of its definition do": async (stage) => {
    const { operator, submit, begin } = withLimited(stage);
    const delayed = await submit("x", { delayMs: 3_600_000 });
    await begin(await submit("y"));
    const due = await submit("z");
    expect(await operator.explain(delayed)).toEqual([{ reason: "delayed", until: expect.any(Date) }]);
    expect(await operator.explain(due)).toEqual([{ reason: "limit", running: one, limit: 1 }]);
    const operationId = await submit("w", { tenant: "b" });
    await stage.backend.operations.settle({ operationId: due, token: due }, { to: "completed" });
    expect(await operator.explain(operationId)).toEqual([{ reason: "limit", running: one, limit: 1 }]);
  },
  "explains that all places of a tenant are taken": async (stage) => {
    const { operator, submit, begin } = withLimited(stage, limitedPerTenant);
    await begin(await submit("x"));
    const [second, others] = [await submit("y"), await submit("y", { tenant: "b" })];
    const limit = { reason: "limit", running: one, limit: 1, perTenant: true };
    expect(await operator.explain(second)).toEqual([limit]);
    expect(await operator.explain(others)).toEqual([{ reason: "queued", due: two, running: one }]);
  },
  "explains the place in a lane, and that all places are taken": async (stage) => {
    const { operator, submit, begin } = withLimited(stage);
    expect(operator.settings).toEqual({ limited: { path: "/limited", limits: { running: 1 } } });
    const [first, second, third, other] = [
      await submit("x"),
      await submit("x"),
      await submit("x"),
      await submit("y"),
    ];
    await begin(first);
    expect(await operator.explain(first)).toEqual([{ reason: "attempt-open", attempt: 1, lost: false }]);
    const limit = { reason: "limit", running: one, limit: 1 };
    expect(await operator.explain(second)).toEqual([{ reason: "lane", ahead: one }, limit]);
    const ahead = { count: 2, more: false };
    expect(await operator.explain(third)).toEqual([{ reason: "lane", ahead }, limit]);
    expect(await operator.explain(other)).toEqual([limit]);
  },
  "explains an attempt that is being cancelled, was lost, or failed": async (stage) => {
    const { operator, submit, begin } = withLimited(stage);
    const id = await submit("x");
    const lease = await begin(id);
    await operator.cancel(id);
    const open = { reason: "attempt-open", attempt: 1, lost: false };
    expect(await operator.explain(id)).toEqual([{ reason: "cancelling" }, open]);
    await stage.backend.operations.settle(lease, { to: "completed" });
    const failed = await submit("x");
    const lastError = FAILED(1);
    const retry = { to: "retry", delayMs: 3_600_000, countAttempt: true, lastError } as const;
    await stage.backend.operations.settle(await begin(failed), retry);
    const failedAt = new Date(1_000);
    expect(await operator.explain(failed)).toEqual([
      { reason: "retry", attempt: 1, failedAt, until: expect.any(Date) },
    ]);
    expect(Math.abs(untilOf((await operator.explain(failed))?.[0]) - 3_600_000)).toBeLessThan(60_000);
    const lost = await submit("y");
    await begin(lost, 1);
    const noWorker = { reason: "no-worker", due: one, oldestDueMs: expect.any(Number) };
    await expect.poll(() => operator.explain(lost)).toEqual([{ ...open, lost: true }, noWorker]);
  },
  "explains that others run while an operation waits for a worker": async ({ operator, submit, backend }) => {
    const running = await submit("complete");
    const waiting = await submit("complete");
    await claimOne(backend.operations, running, { token: running, leaseMs: 60_000 });
    expect(await operator.explain(waiting)).toEqual([{ reason: "queued", due: one, running: one }]);
  },
});
