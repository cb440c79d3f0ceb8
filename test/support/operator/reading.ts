import { problemType } from "async-request-reply/ports";
import { expect } from "vitest";
import { claimOne } from "../claims.js";
import { type Scenario, scenariosOf } from "./scenarios.js";
import { existing, idsOf, importsOf, redriven } from "./stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";
const FOLLOW_UP = "01900000-0000-7000-8000-00000000fffe";

/** Members of an attempt that a worker has ended. */
const ENDED = {
  startedAt: expect.any(Date),
  endedAt: expect.any(Date),
  process: expect.stringMatching(/^[0-9a-f]{8}$/),
};

/** Scenarios in which an operator reads. */
export const readingScenarios: readonly Scenario[] = scenariosOf({
  "tells which operations change, until it is stopped": async ({ operator, end }) => {
    const told = new Set<string | undefined>();
    const stop = operator.watch?.((operationId) => told.add(operationId));
    const id = await end("complete");
    await expect.poll(() => told.has(id)).toBe(true);
    stop?.();
    told.clear();
    await end("complete");
    expect(told.size).toBe(0);
  },

  "lists operations of all tenants, newest first, without payloads": async ({ operator, end, submit }) => {
    const failed = await end("throw", { tenant: "a", key: "k1", note: "secret" });
    const completed = await end("complete", { tenant: "b", definition: importsOf, note: "secret" });
    const pending = await submit("complete", { tenant: "c" });
    const { operations, cursor } = await operator.list();
    const all = operations.toSorted((one, other) => (one.tenant < other.tenant ? -1 : 1));
    expect(all).toEqual([
      {
        operationId: failed,
        tenant: "a",
        definition: "exports",
        status: "failed",
        urgency: 3,
        attempt: 1,
        createdAt: expect.any(Date),
        finishedAt: expect.any(Date),
        retentionMs: 86_400_000,
        failedRetentionMs: 604_800_000,
        key: "k1",
        error: expect.objectContaining({ type: problemType("attempts-exhausted") }),
        lastError: expect.objectContaining({ detail: "The processor threw TypeError: broken" }),
      },
      expect.objectContaining({ operationId: completed, definition: "imports", status: "completed" }),
      expect.objectContaining({ operationId: pending, status: "pending", attempt: 0 }),
    ]);
    expect(JSON.stringify(all)).not.toContain("secret");
    expect(cursor).toBeUndefined();
    const times = operations.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  },
  "lists by tenant, status, definition, age and type of error": async ({ operator, end, submit }) => {
    const first = await end("throw");
    const refused = await end("refuse", { tenant: "b" });
    const imported = await end("complete", { definition: importsOf });
    const pending = await submit("complete");
    const { createdAt } = await existing(operator.get(refused));
    const listed = async (filter: Parameters<typeof operator.list>[0]): Promise<string[]> =>
      idsOf((await operator.list(filter)).operations).sort();
    expect(await listed({ tenant: "b" })).toEqual([refused]);
    expect(await listed({ status: "pending" })).toEqual([pending]);
    expect(await listed({ definition: "imports" })).toEqual([imported]);
    expect(await listed({ errorType: "attempts-exhausted" })).toEqual([first]);
    expect(await listed({ errorType: "work-failed", status: "failed", tenant: "a" })).toEqual([]);
    const all = [first, refused, imported, pending];
    const older = await listed({ createdBefore: createdAt });
    const newer = await listed({ createdFrom: createdAt });
    expect([...older, ...newer].sort()).toEqual(all.sort());
    expect(newer).toContain(refused);
    expect(await listed({ createdFrom: createdAt, createdBefore: createdAt })).toEqual([]);
  },
  "lists by principal, and failures that were run again or not": async ({ operator, end, submit }) => {
    const anns = await end("throw", { principal: "ann" });
    const bobs = await end("refuse", { principal: "bob" });
    await end("throw", { principal: "ann", tenant: "b" });
    const pending = await submit("complete", { principal: "ann" });
    const successor = await redriven(operator, anns);
    const listed = async (filter: Parameters<typeof operator.list>[0]): Promise<string[]> =>
      idsOf((await operator.list({ tenant: "a", ...filter })).operations).sort();
    expect(await listed({ principal: "ann" })).toEqual([anns, pending, successor].sort());
    expect(await listed({ principal: "ann", status: "failed" })).toEqual([anns]);
    expect(await listed({ principal: "bob", errorType: "work-failed" })).toEqual([bobs]);
    expect(await listed({ principal: "bob", errorType: "attempts-exhausted" })).toEqual([]);
    expect(await listed({ status: "failed", redriven: true })).toEqual([anns]);
    expect(await listed({ status: "failed", redriven: false })).toEqual([bobs]);
    const page = await operator.list({ principal: "ann", limit: 2 });
    const rest = await operator.list({ principal: "ann", limit: 2, cursor: page.cursor });
    expect([page, rest].map(({ operations }) => operations.length)).toEqual([2, 2]);
    expect(rest.cursor).toBeUndefined();
  },
  "reads a list page by page, each operation once, while others are added": async ({ operator, submit }) => {
    const ids: string[] = [];
    for (const tenant of ["a", "b", "a", "b", "a"]) ids.push(await submit("complete", { tenant }));
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await operator.list({ limit: 2, cursor });
      read.push(...idsOf(page.operations));
      cursor = page.cursor;
      await submit("complete", { note: "added meanwhile" });
    } while (cursor !== undefined);
    expect(read).toEqual(expect.arrayContaining(ids));
    expect(new Set(read).size).toBe(read.length);
  },
  "has no further page after one that is exactly full": async ({ operator, submit, end }) => {
    await submit("complete");
    await submit("complete");
    expect((await operator.list({ limit: 2 })).cursor).toBeUndefined();
    expect((await operator.list({ limit: 1 })).cursor).toEqual(expect.any(String));
    await end("throw");
    expect((await operator.list({ limit: 1, errorType: "attempts-exhausted" })).cursor).toBeUndefined();
  },
  "continues after the last operation that it found by type of error": async ({ operator, end }) => {
    const ids: string[] = [];
    for (const outcome of ["throw", "refuse", "throw", "complete", "throw"] as const) {
      const id = await end(outcome);
      if (outcome === "throw") ids.push(id);
    }
    const filter = { errorType: "attempts-exhausted", limit: 2 } as const;
    const first = await operator.list(filter);
    expect(first.operations).toHaveLength(2);
    const second = await operator.list({ ...filter, cursor: first.cursor });
    expect(idsOf([...first.operations, ...second.operations]).sort()).toEqual(ids.sort());
    expect(second.cursor).toBeUndefined();
  },
  "reads one operation of any tenant with its payloads": async ({ operator, end, work, backend }) => {
    const completed = await end("complete", { tenant: "b", note: "hello" });
    expect(await operator.get(completed)).toMatchObject({
      operationId: completed,
      tenant: "b",
      status: "completed",
      input: { outcome: "complete", note: "hello" },
      result: { note: "hello" },
    });
    const traced = { id: UNKNOWN, tenant: "c", definition: "exports", retentionMs: 1_000 };
    const meta = '{"traceparent":"00-1-2-01"}';
    await backend.operations.create({ ...traced, input: '{"outcome":"refuse"}', meta, hidden: true });
    await claimOne(backend.operations, UNKNOWN, { token: "t", leaseMs: 60_000 });
    const lastError = '{"type":"t","title":"Busy"}';
    const retry = { to: "retry", delayMs: 0, countAttempt: false, lastError } as const;
    await backend.operations.settle({ operationId: UNKNOWN, token: "t" }, retry);
    expect(await operator.get(UNKNOWN)).toMatchObject({
      lastError: { type: "t", title: "Busy" },
      attempts: [],
    });
    await work();
    expect(await operator.get(UNKNOWN)).toMatchObject({
      meta: { traceparent: "00-1-2-01" },
      hidden: true,
      error: { type: problemType("work-failed"), detail: "It cannot be done." },
    });
    expect(idsOf((await operator.list()).operations)).not.toContain(UNKNOWN);
    expect(idsOf((await operator.list({ internal: true })).operations)).toContain(UNKNOWN);
  },
  "returns the errors of the latest attempts, and the id of the follow-up": async ({
    operator,
    work,
    backend,
  }) => {
    const onEnd = { id: FOLLOW_UP, definition: "other", input: "1", retentionMs: 1_000 };
    const operation = { id: UNKNOWN, tenant: "c", definition: "exports", retentionMs: 1_000, onEnd };
    await backend.operations.create({ ...operation, input: '{"outcome":"throw"}' });
    await claimOne(backend.operations, UNKNOWN, { token: "t", leaseMs: 60_000 });
    const earlier = [{ attempt: 1, at: 5, detail: "first" }];
    const lastError = JSON.stringify({
      type: "t",
      title: "Busy",
      detail: "second",
      attempt: 2,
      at: 7,
      earlier,
    });
    const retry = { to: "retry", delayMs: 0, countAttempt: false, lastError } as const;
    await backend.operations.settle({ operationId: UNKNOWN, token: "t" }, retry);
    await work();
    const found = await operator.get(UNKNOWN);
    expect(found).toMatchObject({ status: "failed", followUpId: FOLLOW_UP });
    expect(found?.lastError).toEqual({
      type: problemType("work-failed"),
      name: "work-failed",
      title: "The work failed",
      detail: "The processor threw TypeError: broken",
    });
    expect(found?.attempts).toEqual([
      { attempt: 1, outcome: "failed", endedAt: new Date(5), detail: "first" },
      { attempt: 2, outcome: "failed", endedAt: new Date(7), detail: "second" },
      { ...ENDED, attempt: 1, outcome: "failed", detail: "The processor threw TypeError: broken" },
    ]);
  },
  "returns when each attempt began and ended, and the worker that ran it, but never its token": async ({
    operator,
    end,
    submit,
    backend,
  }) => {
    const [completed, failed, refused] = [await end("complete"), await end("throw"), await end("refuse")];
    const attemptsOf = async (id: string) => (await existing(operator.get(id))).attempts;
    expect(await attemptsOf(completed)).toEqual([{ ...ENDED, attempt: 1, outcome: "completed" }]);
    const reasons = ["The processor threw TypeError: broken", "PERMANENT_FAILURE: It cannot be done."];
    for (const [index, id] of [failed, refused].entries())
      expect(await attemptsOf(id)).toEqual([
        { ...ENDED, attempt: 1, outcome: "failed", detail: reasons[index] },
      ]);
    const [{ startedAt, endedAt } = {}] = await attemptsOf(completed);
    expect(Number(endedAt) - Number(startedAt)).toBeGreaterThanOrEqual(0);
    const running = await submit("complete");
    const startedAtMs = Date.UTC(2026, 0, 1);
    const token = `${startedAtMs.toString(16).padStart(12, "0")}-0badcafe-0123456789ab`;
    await claimOne(backend.operations, running, { token, leaseMs: 60_000 });
    expect(await attemptsOf(running)).toEqual([
      { attempt: 1, outcome: "running", startedAt: new Date(startedAtMs), process: "0badcafe" },
    ]);
    expect(JSON.stringify(await operator.get(running))).not.toContain("0123456789ab");
    await operator.cancel(running);
    const retry = { to: "retry", delayMs: 0, countAttempt: true } as const;
    await backend.operations.settle({ operationId: running, token }, retry);
    expect(await attemptsOf(running)).toMatchObject([{ attempt: 1, outcome: "cancelled" }]);
  },
  "returns attempts that were lost, and when a waiting operation is due": async ({
    operator,
    submit,
    backend,
    work,
  }) => {
    const id = await submit("complete");
    const { dueAt, attempts } = await existing(operator.get(id));
    expect(Number(dueAt)).toBeLessThanOrEqual(Date.now());
    expect(attempts).toEqual([]);
    await claimOne(backend.operations, id, { token: "t", leaseMs: 1 });
    const lost = { attempt: 1, outcome: "lost" };
    await expect.poll(async () => (await operator.get(id))?.attempts).toEqual([lost]);
    expect(await operator.get(id)).not.toHaveProperty("dueAt");
    await backend.operations.settle(
      { operationId: id, token: "t" },
      { to: "retry", delayMs: 0, countAttempt: true },
    );
    expect((await operator.get(id))?.attempts).toEqual([lost]);
    await work();
    expect(await operator.get(id)).toMatchObject({ status: "failed", attempts: [lost] });
    const other = await submit("complete");
    await claimOne(backend.operations, other, { token: "t", leaseMs: 60_000 });
    const later = { to: "retry", delayMs: 3_600_000, countAttempt: true } as const;
    await backend.operations.settle({ operationId: other, token: "t" }, later);
    const waiting = await existing(operator.get(other));
    expect(waiting.attempts).toEqual([lost]);
    expect(Number(waiting.dueAt)).toBeGreaterThan(Date.now());
  },
  "does not take the attempts for lost whose errors an older worker has dropped": async ({
    operator,
    submit,
    backend,
  }) => {
    const id = await submit("complete");
    await claimOne(backend.operations, id, { token: "t", leaseMs: 60_000 });
    const errors = Array.from({ length: 10 }, (_, index) => ({ attempt: 12 - index, at: 1, detail: "" }));
    const [latest, ...earlier] = errors;
    const lastError = JSON.stringify({ type: "t", title: "Busy", ...latest, earlier });
    const retry = { to: "retry", delayMs: 0, countAttempt: true, lastError } as const;
    await backend.operations.settle({ operationId: id, token: "t" }, retry);
    const { attempts } = await existing(operator.get(id));
    expect(attempts.map(({ attempt }) => attempt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  },
  "shows times as dates, whose JSON is what clients read": async ({ operator, end }) => {
    const operation = await existing(operator.get(await end("throw")));
    const { createdAt, finishedAt, attempts } = JSON.parse(JSON.stringify(operation));
    for (const time of [createdAt, finishedAt, attempts[0].startedAt, attempts[0].endedAt])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },
  "finds nothing for an unknown or invalid id": async ({ operator }) => {
    expect(await operator.get(UNKNOWN)).toBeUndefined();
    expect(await operator.get("42")).toBeUndefined();
  },
  "counts the operations of every definition": async ({ operator, end, submit }) => {
    await end("throw");
    await end("complete");
    await submit("complete", { tenant: "b" });
    const none = { count: 0, more: false };
    expect(await operator.stats()).toEqual([
      {
        definition: "exports",
        due: { count: 1, more: false },
        running: none,
        scheduled: none,
        failed: { count: 1, more: false },
        oldestDueMs: expect.any(Number),
      },
      { definition: "imports", due: none, running: none, scheduled: none, failed: none },
    ]);
  },
  "cancels an operation of any tenant and returns the outcome, and the operation after it": async ({
    operator,
    submit,
    backend,
  }) => {
    const waiting = await submit("complete", { tenant: "b", definition: importsOf });
    const cancelled = await operator.cancel(waiting);
    expect(cancelled).toMatchObject({
      outcome: "cancelled",
      operation: { status: "failed", error: { type: problemType("cancelled") } },
    });
    expect(cancelled.operation).toEqual(await operator.get(waiting));
    expect(await operator.cancel(waiting)).toEqual({ ...cancelled, outcome: "terminal" });
    const running = await submit("complete", { tenant: "c" });
    await claimOne(backend.operations, running, { token: "t", leaseMs: 60_000 });
    expect(await operator.cancel(running)).toMatchObject({
      outcome: "requested",
      operation: { operationId: running, status: "pending", cancelRequested: true },
    });
    expect(await operator.cancel(UNKNOWN)).toEqual({ outcome: "unknown" });
    expect(await operator.cancel("42")).toEqual({ outcome: "unknown" });
  },
  "cancels no operation that its tenant cannot see yet, and returns it": async ({ operator, backend }) => {
    const operation = { id: UNKNOWN, tenant: "c", definition: "exports", input: "1", retentionMs: 1_000 };
    await backend.operations.create(operation, { state: "preparing", token: "t", leaseMs: 60_000 });
    expect(await operator.cancel(UNKNOWN)).toMatchObject({
      outcome: "unknown",
      operation: { status: "preparing" },
    });
    expect(idsOf((await operator.list({ status: "preparing", internal: true })).operations)).toEqual([
      UNKNOWN,
    ]);
    expect((await operator.list()).operations).toEqual([]);
  },
});
