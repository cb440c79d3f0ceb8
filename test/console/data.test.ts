import { createMemoryBackend } from "async-request-reply";
import type { Failures, OperationPage, RedrivePreview, RedriveRun } from "async-request-reply/operator";
import { problemType, type Settlement } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { Overview, Sent, Series } from "../../src/console/wire.js";
import { newRow } from "../../src/testing/suites/minutes-store/fixtures.js";
import { claimOne } from "../support/claims.js";
import { redriven } from "../support/operator/stage.js";
import { createConsoleStage, dataOf, FROM_PAGE } from "./stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";

describe("the overview", () => {
  it("says what the caller and the back end can do, and counts", async () => {
    const { read, end } = createConsoleStage("observe");
    await end("throw");
    expect(await read("/api/overview")).toEqual({
      operates: false,
      definitions: ["exports", "imports"],
      settings: { exports: { path: "/exports" }, imports: { path: "/imports" } },
      errorTypes: [
        "work-failed",
        "attempts-exhausted",
        "invalid-result",
        "output-too-large",
        "input-refused",
        "cancelled",
        "expired",
        "abandoned",
      ],
      stats: [
        expect.objectContaining({ definition: "exports", failed: { count: 1, more: false } }),
        expect.objectContaining({ definition: "imports", failed: { count: 0, more: false } }),
      ],
      live: true,
      lastHour: [
        {
          definition: "exports",
          completed: 0,
          failed: 1,
          served: true,
          medianMs: expect.any(Number),
          p95Ms: expect.any(Number),
        },
        { definition: "imports", completed: 0, failed: 0, served: true },
      ],
      recent: {
        from: expect.any(String),
        to: expect.any(String),
        stepMs: 60_000,
        work: [expect.objectContaining({ failed: 1 }), expect.objectContaining({ failed: 0 })],
        points: [{ start: expect.any(String), definition: "exports", completed: 0, failed: 1 }],
      },
    });
  });

  it("has what ended in this minute and the 59 before it", async () => {
    const clock = createManualClock();
    const { minutes } = createMemoryBackend({ clock });
    await clock.advance(30_000);
    const now = clock.now();
    const row = (minute: number, completed: number) =>
      newRow(Math.floor((now + minute * 60_000) / 60_000) * 60_000, { definition: "exports", completed });
    await minutes.write([row(-60, 1), row(-59, 2), row(0, 4), row(1, 8)]);
    const backend = { ...createMemoryBackend(), minutes };
    const { read } = createConsoleStage("observe", { backend, runtime: { clock } });
    const { lastHour, recent } = await read<Sent<Overview>>("/api/overview");
    expect(lastHour).toEqual([{ definition: "exports", completed: 6, failed: 0, served: false }]);
    expect(recent?.work).toEqual(lastHour);
    const minute = (number: number): string =>
      new Date(Math.floor(now / 60_000 + number) * 60_000).toISOString();
    expect(recent?.points).toEqual([
      { start: minute(-59), definition: "exports", completed: 2, failed: 0 },
      { start: minute(0), definition: "exports", completed: 4, failed: 0 },
    ]);
  });

  it("has what ended in an hour, a day or a week, and a chart of a definition", async () => {
    const clock = createManualClock();
    const { minutes } = createMemoryBackend({ clock });
    await clock.advance(8 * 86_400_000 + 30_000);
    const to = (Math.floor(clock.now() / 60_000) + 1) * 60_000;
    const row = (minute: number, failed: number) =>
      newRow(to - minute * 60_000, { definition: "exports", failed });
    await minutes.write([row(1, 1), row(60, 2), row(61, 4), row(1_440, 8), row(10_080, 16), row(10_081, 32)]);
    const backend = { ...createMemoryBackend(), minutes };
    const { read, send } = createConsoleStage("observe", { backend, runtime: { clock } });
    const failedIn = (points: readonly { readonly failed: number }[] = []): number =>
      points.reduce((sum, { failed }) => sum + failed, 0);
    const shown = async (range: string): Promise<readonly unknown[]> => {
      const series = await read<Sent<Series>>(`/api/series?definition=exports&range=${range}`);
      const { recent, lastHour } = await read<Sent<Overview>>(`/api/overview?range=${range}`);
      const { from, to: end, stepMs, points } = series;
      expect(Date.parse(end)).toBe(to);
      expect(recent).toMatchObject({ from, to: end, stepMs });
      const counts = [points, recent?.points, recent?.work, lastHour].map(failedIn);
      return [Date.parse(from), stepMs, ...counts];
    };
    expect(await shown("")).toEqual([to - 3_600_000, 60_000, 3, 3, 3, 3]);
    expect(await shown("hour")).toEqual([to - 3_600_000, 60_000, 3, 3, 3, 3]);
    expect(await shown("day")).toEqual([to - 86_400_000, 1_200_000, 15, 15, 15, 3]);
    expect(await shown("week")).toEqual([to - 7 * 86_400_000, 7_200_000, 31, 31, 31, 3]);
    for (const query of [
      "series?definition=exports&range=toString",
      "series?definition=x",
      "series",
      "overview?range=x",
    ])
      expect((await send({ path: `/api/${query}` })).status).toBe(400);
  });

  it("has everything in a chart that its lines are made of", async () => {
    const { read, end, submit, operator } = createConsoleStage("observe");
    await operator.cancel(await submit("complete"));
    await end("complete");
    const { points } = await read<Sent<Series>>("/api/series?definition=exports");
    const quantiles = expect.objectContaining({ p50Ms: expect.any(Number), p95Ms: expect.any(Number) });
    const counts = { accepted: 2, completed: 1, failed: 0, cancelled: 1 };
    const times = { waiting: quantiles, running: quantiles, total: quantiles };
    expect(points).toEqual([{ start: expect.any(String), ...counts, ...times }]);
  });

  it("has no last hour if the back end keeps no counts", async () => {
    const { minutes: _, ...backend } = createMemoryBackend();
    const { read } = createConsoleStage("observe", { backend });
    const overview = await read("/api/overview");
    for (const absent of ["lastHour", "recent"]) expect(overview).not.toHaveProperty(absent);
  });
});

describe("the list", () => {
  it("has every filter of an operator", async () => {
    const { read, end, operator } = createConsoleStage();
    const failed = await end("throw", { principal: "ann" });
    const refused = await end("refuse", { tenant: "b" });
    const completed = await end("complete");
    const soon = new Date(Date.now() + 60_000).toISOString();
    const listed = async (query: string): Promise<string[]> =>
      (await read<OperationPage>(`/api/operations?${query}`)).operations
        .map(({ operationId }) => operationId)
        .sort();
    expect(await listed("status=failed")).toEqual([failed, refused].sort());
    expect(await listed("status=completed&definition=exports&tenant=")).toEqual([completed]);
    expect(await listed("tenant=b")).toEqual([refused]);
    expect(await listed("errorType=work-failed")).toEqual([refused]);
    expect(await listed("principal=ann&status=")).toEqual([failed]);
    await redriven(operator, refused);
    expect(await listed("status=failed&open=true")).toEqual([failed]);
    expect(await listed("status=failed&open=")).toEqual([failed, refused].sort());
    expect(await listed(`createdFrom=${soon}`)).toEqual([]);
    expect(await listed(`createdBefore=${soon}&internal=true`)).toHaveLength(4);
  });

  it("finds words of the reason in any order and case, and goes on", async () => {
    const { read, end } = createConsoleStage("observe");
    const quoted = await end("quote", { note: "no Item 7" });
    await end("throw");
    await end("complete");
    const listed = async (words: string): Promise<string[]> => {
      const page = await read<OperationPage>(`/api/operations?${new URLSearchParams({ words })}`);
      return page.operations.map(({ operationId }) => operationId);
    };
    expect(await listed(" 7  rangeerror ITEM ")).toEqual([quoted]);
    expect(await listed("exports attempts-exhausted item")).toEqual([quoted]);
    expect(await listed("item 8")).toEqual([]);
    const { groups } = await read<Failures>("/api/failures?words=item+no");
    expect(groups.map(({ exampleId }) => exampleId)).toEqual([quoted]);
    for (let count = 0; count < 500; count += 1) await end("complete");
    const { operations, cursor } = await read<OperationPage>("/api/operations?words=item");
    expect(operations).toEqual([]);
    const older = await read<OperationPage>(`/api/operations?words=item&cursor=${cursor}`);
    expect(older.operations.map(({ operationId }) => operationId)).toEqual([quoted]);
  });

  it("goes on where the cursor says", async () => {
    const { read, submit } = createConsoleStage();
    for (let count = 0; count < 51; count += 1) await submit("complete");
    const first = await read<OperationPage>("/api/operations");
    expect(first.operations).toHaveLength(50);
    const second = await read<OperationPage>(`/api/operations?cursor=${first.cursor}`);
    expect(second.operations).toHaveLength(1);
    expect(second.cursor).toBeUndefined();
  });

  it.each([
    "status=running",
    "definition=x",
    "createdFrom=yesterday",
    `createdFrom=${Date.now()}`,
    "cursor=1",
    "errorType=x",
    "tenant=%00",
  ])("says what is wrong with %s", async (query) => {
    const { send } = createConsoleStage();
    const reply = await send({ path: `/api/operations?${query}` });
    expect(reply.status).toBe(400);
    expect(JSON.parse(String(reply.body)).detail).toMatch(/Option|Unknown/);
  });
});

describe("the groups of failures", () => {
  it("have the filters of an operator, and lead to their list", async () => {
    const { read, end, operator } = createConsoleStage("observe");
    const ids = [];
    for (const note of ["no item 7", "no item 12"]) ids.push(await end("quote", { note, principal: "ann" }));
    await end("throw", { tenant: "b" });
    const message = "The processor threw RangeError: no item *";
    const grouped = async (query: string): Promise<unknown> => {
      const { groups } = await read<Failures>(`/api/failures?${query}`);
      return groups.map(({ count, open, exampleId }) => [count, open, exampleId]);
    };
    expect(await read(`/api/failures?tenant=a&definition=exports&status=failed`)).toEqual({
      groups: [
        {
          definition: "exports",
          errorType: "attempts-exhausted",
          message,
          count: 2,
          open: 2,
          firstFailedAt: (await operator.get(ids[0] ?? ""))?.finishedAt?.toISOString(),
          lastFailedAt: (await operator.get(ids[1] ?? ""))?.finishedAt?.toISOString(),
          exampleId: ids[1],
        },
      ],
      complete: true,
    });
    await redriven(operator, ids[1] ?? "");
    expect(await grouped("principal=ann")).toEqual([[2, 1, ids[1]]]);
    expect(await grouped("principal=ann&open=true")).toEqual([[1, 1, ids[0]]]);
    expect(await grouped(`createdFrom=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const query = new URLSearchParams({ message, errorType: "attempts-exhausted", open: "true" });
    const { operations } = await read<OperationPage>(`/api/operations?${query}`);
    expect(operations.map(({ operationId }) => operationId)).toEqual([ids[0]]);
  });

  const wrong = ["definition=x", "errorType=x", "createdFrom=yesterday"];
  it.each(wrong)("say what is wrong with %s", async (query) => {
    const { send } = createConsoleStage();
    expect((await send({ path: `/api/failures?${query}` })).status).toBe(400);
  });

  it("are run again by their message", async () => {
    const { change, end } = createConsoleStage();
    await end("quote", { note: "no item 7" });
    await end("throw");
    const filter = { message: "The processor threw RangeError: no item *" };
    const counted = dataOf(await change("/api/redrives", { filter, dryRun: true }));
    expect(counted).toMatchObject({ count: 1, more: false });
    expect(dataOf(await change("/api/redrives", { filter }))).toEqual({ redriven: 1, skipped: 0 });
  });
});

describe("an operation", () => {
  it("can be read with its payload on request", async () => {
    const { read, end } = createConsoleStage();
    const id = await end("complete", { note: "secret" });
    expect(await read(`/api/operations/${id}`)).toMatchObject({
      operation: { operationId: id, status: "completed" },
      deliveries: [],
    });
    expect(await read(`/api/operations/${id}/payload`)).toEqual({
      input: { outcome: "complete", note: "secret" },
      result: { note: "secret" },
    });
  });

  it("has its urgency, in the list and by itself", async () => {
    const { read, submit } = createConsoleStage("observe");
    const id = await submit("complete", { urgency: 6 });
    const { operations } = await read<OperationPage>("/api/operations");
    expect(operations).toMatchObject([{ urgency: 6 }]);
    expect(await read(`/api/operations/${id}`)).toMatchObject({ operation: { urgency: 6 } });
  });

  it("is shown with its follow-up and the redrives of it", async () => {
    const { read, operator, backend } = createConsoleStage();
    const settle = async (id: string, settlement: Settlement): Promise<void> => {
      await claimOne(backend.operations, id, { token: id, leaseMs: 60_000 });
      await backend.operations.settle({ operationId: id, token: id }, settlement);
    };
    const onEnd = {
      id: "01900000-0000-7000-8000-00000000fffe",
      definition: "imports",
      input: '{"outcome":"throw"}',
      retentionMs: 60_000,
    };
    const operation = { id: UNKNOWN, tenant: "a", definition: "exports", retentionMs: 60_000, onEnd };
    await backend.operations.create({ ...operation, input: '{"outcome":"complete"}' });
    expect(await read(`/api/operations/${UNKNOWN}`)).toMatchObject({ deliveries: [] });
    await settle(UNKNOWN, { to: "completed" });
    await settle(onEnd.id, { to: "failed", error: "{}" });
    await operator.redrive(onEnd.id);
    expect(await read(`/api/operations/${UNKNOWN}`)).toMatchObject({
      operation: { status: "completed" },
      deliveries: [
        { operation: { operationId: onEnd.id, status: "failed", definition: "imports" } },
        { operation: { retryOf: onEnd.id, status: "pending" } },
      ],
    });
  });

  it.each(["42", UNKNOWN, "%00"])("is a 404 if it does not exist: %s", async (id) => {
    const { send } = createConsoleStage();
    expect((await send({ path: `/api/operations/${id}` })).status).toBe(404);
    expect((await send({ path: `/api/operations/${id}/payload` })).status).toBe(404);
  });

  it("can be cancelled", async () => {
    const { change, submit, read } = createConsoleStage();
    const id = await submit("complete", { note: "secret" });
    const first = dataOf<object>(await change(`/api/operations/${id}/cancel`));
    expect(first).toMatchObject({
      outcome: "cancelled",
      operation: { status: "failed", error: { type: problemType("cancelled") } },
    });
    expect(JSON.stringify(first)).not.toContain("secret");
    const repeated = dataOf(await change(`/api/operations/${id}/cancel`));
    expect(repeated).toEqual({ ...first, outcome: "terminal" });
    expect(await read(`/api/operations/${id}`)).toMatchObject({
      operation: { error: { type: problemType("cancelled") } },
    });
  });

  it("can be run again, once", async () => {
    const { change, end } = createConsoleStage();
    const id = await end("throw", { note: "secret" });
    const first = dataOf<object>(await change(`/api/operations/${id}/redrive`));
    expect(first).toMatchObject({ outcome: "redriven", operation: { status: "pending", retryOf: id } });
    expect(JSON.stringify(first)).not.toContain("secret");
    const repeated = dataOf(await change(`/api/operations/${id}/redrive`));
    expect(repeated).toEqual({ ...first, outcome: "already-redriven" });
  });
});

describe("a definition", () => {
  const pauseIn = async (read: <Data>(path: string) => Promise<Data>): Promise<unknown> =>
    (await read<{ readonly stats: readonly { readonly paused?: unknown }[] }>("/api/overview")).stats[0]
      ?.paused;

  it("can be paused and resumed, and shows since when and by whom", async () => {
    const { read, change, end, operator } = createConsoleStage("operate", {
      authorize: () => ({ access: "operate", id: "ann" }),
    });
    expect(await pauseIn(read)).toBeUndefined();
    expect((await change("/api/pauses", { definition: "exports", paused: true })).status).toBe(200);
    expect(await pauseIn(read)).toEqual({ since: expect.stringMatching(/^\d{4}-.*Z$/), by: "ann" });
    expect(await operator.get(await end("complete"))).toMatchObject({ status: "pending" });
    expect((await change("/api/pauses", { definition: "exports", paused: false })).status).toBe(200);
    expect(await pauseIn(read)).toBeUndefined();
  });

  it("is paused by no one in particular if the caller has no id", async () => {
    const { read, change } = createConsoleStage();
    await change("/api/pauses", { definition: "exports", paused: true });
    expect(await pauseIn(read)).toEqual({ since: expect.any(String) });
  });

  it("is not paused by a caller who can only observe, or without saying which and whether", async () => {
    const observing = createConsoleStage("observe");
    expect((await observing.change("/api/pauses", { definition: "exports", paused: true })).status).toBe(403);
    const { change } = createConsoleStage();
    expect((await change("/api/pauses", { definition: "export", paused: true })).status).toBe(400);
    expect((await change("/api/pauses", { definition: "exports" })).status).toBe(400);
    expect((await change("/api/pauses", { paused: true })).status).toBe(400);
    expect(await pauseIn(observing.read)).toBeUndefined();
  });
});

describe("a bulk redrive", () => {
  it("counts first, and then runs 10 operations per request", async () => {
    const { change, end, events } = createConsoleStage();
    for (let count = 0; count < 12; count += 1) await end("throw");
    const filter = { tenant: "a" };
    const redrives = async <Data>(body: object): Promise<Data> =>
      dataOf(await change("/api/redrives", { filter, ...body }));
    expect(await redrives<RedrivePreview>({ dryRun: true })).toMatchObject({ count: 12, more: false });
    expect(events).toEqual([]);
    const first = await redrives<RedriveRun>({});
    expect(first).toMatchObject({ redriven: 10, skipped: 0 });
    expect(await redrives({ cursor: first.cursor })).toEqual({ redriven: 2, skipped: 0 });
    expect(await redrives({ dryRun: true })).toMatchObject({ count: 0 });
  });

  it("takes times as the page sends them", async () => {
    const { change, end } = createConsoleStage();
    await end("throw");
    const counted = async (filter: object): Promise<RedrivePreview> =>
      dataOf(await change("/api/redrives", { filter, dryRun: true }));
    const around = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const [createdFrom, createdBefore] = around;
    expect(await counted({ createdFrom, createdBefore })).toMatchObject({ count: 1 });
    expect(await counted({ createdFrom: createdBefore })).toMatchObject({ count: 0 });
    expect(await counted({ createdBefore: createdFrom })).toMatchObject({ count: 0 });
  });

  it("stops when the browser disconnects", async () => {
    const { console, end, operator } = createConsoleStage();
    for (let count = 0; count < 10; count += 1) await end("throw");
    const stop = new AbortController();
    const body = JSON.stringify({ filter: { tenant: "a" } });
    const request = { method: "POST", path: "/api/redrives", headers: FROM_PAGE, body };
    const running = console.handle(request, { signal: stop.signal });
    const pending = async () => (await operator.list({ status: "pending" })).operations.length;
    await expect.poll(pending).toBeGreaterThan(0);
    stop.abort();
    const { redriven, cursor } = dataOf<RedriveRun>(await running);
    expect(redriven).toBeLessThan(10);
    expect(cursor).toEqual(expect.any(String));
  });

  it.each([
    {},
    { internal: true },
    { status: "failed" },
    { definition: "x" },
    { errorType: "x" },
    { createdFrom: "yesterday" },
    { createdFrom: 5 },
  ])("refuses an empty or wrong filter: %o", async (filter) => {
    const { change } = createConsoleStage();
    for (const dryRun of [true, false])
      expect((await change("/api/redrives", { filter, dryRun })).status).toBe(400);
  });
});
