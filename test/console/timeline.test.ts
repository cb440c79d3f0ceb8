import { createMemoryBackend, createService, createWorker, defineOrders } from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { redriven } from "../support/operator/stage.js";
import { createConsoleStage } from "./stage.js";

const START = "2026-01-01T00:00:00.000Z";

interface Entry {
  readonly event: string;
  readonly attempt?: number;
  readonly at?: string;
}

/** An operation, its worker and its timeline, on a clock that the test moves. */
async function createTimelineStage(maxAttempts = 20) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const definitions = [defineOrders({ cancellable: true })] as const;
  const runtime = { clock, random: () => 0.5 };
  const service = createService({ definitions, backend, observe: false, runtime });
  const console = createConsole({
    operator: createOperator({ backend, definitions, observe: false }),
    authorize: () => "observe",
  });
  const order = { itemId: "a", quantity: 1 };
  const { operationId: id } = await service.submit(definitions[0], order, { tenant: "a" });
  let fails = true;
  const orders = (): void => {
    if (fails) throw new TypeError("broken");
  };
  const worker = createWorker(service, { orders }, { maxAttempts });
  return {
    clock,
    id,
    service,
    backend,
    mend: () => {
      fails = false;
    },
    /** Runs an attempt, and waits until the next one is due. */
    work: async () => {
      await worker.runUntilIdle();
      await clock.advance(3_600_000);
    },
    /** Begins an attempt like a worker that then dies. */
    lose: async () => {
      await claimOne(backend.operations, id, { token: `t${clock.now()}`, leaseMs: 1_000 });
      await clock.advance(1_000);
    },
    timeline: async (): Promise<readonly Entry[]> => {
      const reply = await console.handle({ method: "GET", path: `/api/operations/${id}`, headers: {} });
      return JSON.parse(String(reply.body)).timeline;
    },
  };
}

/** Returns the members of an attempt that takes no time on the clock of the test. */
const ran = (at: string) => ({ startedAt: at, at, process: expect.stringMatching(/^[0-9a-f]{8}$/) });

describe("the timeline of an operation", () => {
  it("shows when it was accepted, when each attempt ran and why it failed, and its end", async () => {
    const { work, mend, timeline } = await createTimelineStage();
    await work();
    await work();
    mend();
    await work();
    const detail = "The processor threw TypeError: broken";
    expect(await timeline()).toEqual([
      { event: "accepted", at: START },
      { event: "attempt-failed", attempt: 1, ...ran(START), detail },
      { event: "attempt-failed", attempt: 2, ...ran("2026-01-01T01:00:00.000Z"), detail },
      { event: "attempt-completed", attempt: 3, ...ran("2026-01-01T02:00:00.000Z") },
    ]);
  });

  it("shows attempts that lost their lease", async () => {
    const { work, lose, mend, timeline } = await createTimelineStage();
    await work();
    await lose();
    await work();
    await lose();
    mend();
    await work();
    expect((await timeline()).map(({ event, attempt }) => [event, attempt])).toEqual([
      ["accepted", undefined],
      ["attempt-failed", 1],
      ["attempt-lost", 2],
      ["attempt-failed", 3],
      ["attempt-lost", 4],
      ["attempt-completed", 5],
    ]);
  });

  it("shows an attempt that has not ended", async () => {
    const { work, backend, id, timeline } = await createTimelineStage();
    await work();
    await claimOne(backend.operations, id, { token: "t", leaseMs: 1_000 });
    expect((await timeline()).at(-1)).toEqual({ event: "attempt-running", attempt: 2 });
  });

  it("shows a wait, and until when", async () => {
    const { work, timeline } = await createTimelineStage();
    expect((await timeline()).at(-1)).toEqual({ event: "waiting", until: START });
    await work();
    expect((await timeline()).at(-1)).toEqual({ event: "waiting", until: "2026-01-01T00:00:00.500Z" });
  });

  it("shows the error of the final attempt, and what the client sees", async () => {
    const { work, timeline } = await createTimelineStage(1);
    await work();
    const detail = "The processor threw TypeError: broken";
    expect((await timeline()).slice(1)).toEqual([
      { event: "attempt-failed", attempt: 1, ...ran(START), detail },
      { event: "failed", at: START, detail: "The work did not succeed in 1 attempts." },
    ]);
  });

  it("shows that all attempts were lost", async () => {
    const { lose, work, timeline } = await createTimelineStage(2);
    await lose();
    await lose();
    await work();
    expect((await timeline()).map(({ event, attempt }) => [event, attempt])).toEqual([
      ["accepted", undefined],
      ["attempt-lost", 1],
      ["attempt-lost", 2],
      ["failed", undefined],
    ]);
  });

  it("says that earlier attempts are no longer kept", async () => {
    const { work, timeline } = await createTimelineStage(30);
    for (let attempt = 1; attempt <= 22; attempt += 1) await work();
    const entries = await timeline();
    expect(entries[1]).toEqual({ event: "omitted", attempt: 2 });
    expect(entries.slice(2, -1).map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 3),
    );
  });

  it("shows a cancellation", async () => {
    const { service, id, work, timeline } = await createTimelineStage();
    await work();
    await service.cancel(service.definitions[0], id, { tenant: "a" });
    expect((await timeline()).map(({ event }) => event)).toEqual(["accepted", "attempt-failed", "failed"]);
  });

  it("links the operations of a redrive", async () => {
    const { end, operator, read } = createConsoleStage();
    const failed = await end("throw");
    const next = await redriven(operator, failed);
    const timelineOf = async (id: string): Promise<readonly Entry[]> =>
      (await read<{ timeline: readonly Entry[] }>(`/api/operations/${id}`)).timeline;
    expect((await timelineOf(failed)).at(-1)).toEqual({ event: "redriven", other: next });
    expect((await timelineOf(next))[0]).toMatchObject({ event: "accepted", other: failed });
  });
});
