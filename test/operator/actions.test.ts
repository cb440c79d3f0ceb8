import { type Backend, createMemoryBackend, withQueue } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { createOperatorStage, existing, redriven } from "../support/operator/stage.js";

const ANN = { by: "ann", via: "script" };

type Actions = Required<Backend>["actions"];

/** A stage whose store of actions is altered. */
function stageWith(alter: (actions: Actions) => Partial<Actions>) {
  const backend = createMemoryBackend();
  return createOperatorStage({ ...backend, actions: { ...backend.actions, ...alter(backend.actions) } });
}

describe("an action", () => {
  it("is recorded with who did it and through what, and observed", async () => {
    const clock = createManualClock();
    const stage = createOperatorStage(createMemoryBackend({ clock }));
    const { operator, events, submit, end } = stage;
    const failed = await end("throw");
    const at = (): Date => new Date(clock.now());
    const about = { definition: "exports", ...ANN };
    const expected: object[] = [];
    const did = async (action: Promise<unknown>, recorded: object): Promise<void> => {
      await action;
      expected.unshift({ at: at(), ...about, ...recorded });
      await clock.advance(1_000);
    };
    await did(operator.pause("exports", ANN), { action: "pause", facts: {} });
    const cancelled = await submit("complete", { principal: "carl" });
    await did(operator.cancel(cancelled, ANN), {
      action: "cancel",
      operationId: cancelled,
      facts: { outcome: "cancelled" },
    });
    await did(operator.redrive(failed, ANN), {
      action: "redrive",
      operationId: failed,
      facts: { retriedBy: expect.any(String) },
    });
    await did(operator.resume("exports", ANN), { action: "resume", facts: {} });
    const actions = await operator.actions();
    expect(actions).toEqual(expected);
    const { retriedBy } = await existing(operator.get(failed));
    expect(actions[1]?.facts.retriedBy).toBe(retriedBy);
    const acted = events.filter(({ event }) => event === "operator.acted");
    const event = { event: "operator.acted", ...about };
    expect(acted).toEqual([
      { ...event, action: "pause" },
      { ...event, action: "cancel", operationId: cancelled, tenant: "a", principal: "carl" },
      { ...event, action: "redrive", operationId: failed, tenant: "a" },
      { ...event, action: "resume" },
    ]);
  });

  it("needs no name", async () => {
    const { operator, events } = createOperatorStage(createMemoryBackend());
    await operator.pause("exports");
    const [action] = await operator.actions();
    expect(action).toEqual({ at: expect.any(Date), action: "pause", definition: "exports", facts: {} });
    expect(events).toEqual([{ event: "operator.acted", action: "pause", definition: "exports" }]);
  });

  it("is recorded only if it changed something", async () => {
    const { operator, submit, end } = createOperatorStage(createMemoryBackend());
    const completed = await end("complete");
    const failed = await end("throw");
    await operator.resume("exports");
    await operator.cancel(completed);
    await operator.cancel("01900000-0000-7000-8000-00000000ffff");
    await operator.redrive(completed);
    await operator.redrive({ definition: "exports" }, { dryRun: true });
    await operator.redrive({ definition: "imports" });
    expect(await operator.actions()).toEqual([]);
    const pending = await submit("complete");
    for (let time = 0; time < 2; time += 1) {
      await operator.pause("exports");
      await operator.cancel(pending);
      await redriven(operator, failed);
      await operator.redrive({ definition: "exports" });
    }
    for (let time = 0; time < 2; time += 1) await operator.resume("exports");
    const actions = await operator.actions();
    expect(actions.map(({ action }) => action).sort()).toEqual(["cancel", "pause", "redrive", "resume"]);
  });

  it("is a request to cancel a running operation, the first time", async () => {
    const { operator, backend, submit } = createOperatorStage(createMemoryBackend());
    const operationId = await submit("complete");
    await claimOne(backend.operations, operationId, { token: "t", leaseMs: 60_000 });
    for (const by of ["ann", "bob"]) await operator.cancel(operationId, { by });
    const actions = await operator.actions({ operationId });
    expect(actions).toMatchObject([{ action: "cancel", by: "ann", facts: { outcome: "requested" } }]);
  });

  it("stays done if it cannot be recorded, which is reported", async () => {
    const error = new Error("The disk is full.");
    const { operator, events, submit } = stageWith(() => ({ record: () => Promise.reject(error) }));
    const operationId = await submit("complete");
    expect(await operator.cancel(operationId, ANN)).toMatchObject({ outcome: "cancelled" });
    expect(events).toContainEqual({ event: "background.failed", step: "record-action", error });
    expect(events).toContainEqual(expect.objectContaining({ event: "operator.acted", ...ANN }));
  });

  it("is waited for no longer than 30 s", async () => {
    const clock = createManualClock();
    const { backend, other } = stageWith(() => ({ record: () => new Promise(() => {}) }));
    const steps: unknown[] = [];
    const observe = (event: object): void => void steps.push(Reflect.get(event, "step"));
    const paused = other({ backend, runtime: { clock }, observe }).pause("exports");
    await expect.poll(() => steps).toEqual([undefined]);
    await clock.advance(30_000);
    await paused;
    expect(steps).toEqual([undefined, "record-action"]);
  });

  it("pauses also if the store cannot tell whether the definition is paused", async () => {
    const memory = createMemoryBackend();
    const stats = (): Promise<never> => Promise.reject(new Error("too many rows"));
    const operations = { ...memory.operations, stats };
    const { operator, backend } = createOperatorStage({ ...memory, operations });
    await operator.pause("exports", ANN);
    expect(await memory.operations.stats({ definitions: ["exports"] })).toMatchObject([{ paused: {} }]);
    expect(await backend.actions?.list({ limit: 9 })).toHaveLength(1);
  });
});

describe("a redrive of many", () => {
  it("is one action with its filter and counts, however many calls continue it", async () => {
    const { operator, events, end } = createOperatorStage(createMemoryBackend());
    for (let count = 0; count < 5; count += 1) await end("quote", { note: `no item ${count}` });
    const message = "The processor threw RangeError: no item 1";
    const filter = { definition: "exports", message, createdFrom: new Date(0) } as const;
    const options = { perSecond: 1_000, limit: 2, ...ANN };
    const recorded = { action: "redrive-many", definition: "exports", ...ANN };
    const facts = {
      filter: {
        definition: "exports",
        message: "The processor threw RangeError: no item *",
        createdFrom: "1970-01-01T00:00:00.000Z",
      },
      skipped: 0,
    };
    let cursor: string | undefined;
    for (const [redriven, more] of [
      [2, { more: true }],
      [4, { more: true }],
      [5, {}],
    ] as const) {
      ({ cursor } = await operator.redrive(filter, { ...options, cursor }));
      expect(await operator.actions()).toEqual([
        { at: expect.any(Date), ...recorded, facts: { ...facts, redriven, ...more } },
      ]);
    }
    const acted = events.filter(({ event }) => event === "operator.acted");
    expect(acted).toEqual([2, 2, 1].map((redriven) => ({ event: "operator.acted", ...recorded, redriven })));
  });

  it("is another action for another person or another filter, and without the cursor", async () => {
    const { operator, end } = createOperatorStage(createMemoryBackend());
    for (let count = 0; count < 8; count += 1) await end("throw");
    const options = { perSecond: 1_000, limit: 2, by: "ann" };
    const { cursor } = await operator.redrive({ definition: "exports" }, options);
    await operator.redrive({ definition: "exports" }, { ...options, cursor, by: "bob" });
    await operator.redrive({ tenant: "a" }, { ...options, cursor });
    await operator.redrive({ definition: "exports" }, options);
    const actions = await operator.actions();
    expect(actions.map(({ by, definition = "any" }) => `${by} ${definition}`).sort()).toEqual([
      "ann any",
      "ann exports",
      "ann exports",
      "bob exports",
    ]);
  });

  it("is complete although its last call finds nothing to run, which is not observed", async () => {
    const { operator, events, end } = createOperatorStage(createMemoryBackend());
    const failed = [await end("throw"), await end("throw")];
    const { cursor } = await operator.redrive({ tenant: "a" }, { limit: 1 });
    await redriven(operator, failed[0] ?? "");
    events.length = 0;
    expect(await operator.redrive({ tenant: "a" }, { cursor })).toEqual({ redriven: 0, skipped: 1 });
    expect(events).toEqual([]);
    const actions = await operator.actions();
    const many = actions.filter(({ action }) => action === "redrive-many");
    expect(many).toMatchObject([{ facts: { redriven: 1, skipped: 1 } }]);
    expect(many[0]?.facts).not.toHaveProperty("more");
  });

  it("is recorded if it was stopped", async () => {
    const { operator, end } = createOperatorStage(createMemoryBackend());
    for (let count = 0; count < 3; count += 1) await end("throw");
    const stop = new AbortController();
    const running = operator.redrive({ definition: "exports" }, { perSecond: 1, signal: stop.signal });
    await expect.poll(async () => (await operator.list({ status: "pending" })).operations.length).toBe(1);
    stop.abort();
    await running;
    const [action, ...others] = await operator.actions();
    expect(others).toEqual([]);
    expect(action?.facts).toEqual({ filter: { definition: "exports" }, redriven: 1, skipped: 0, more: true });
  });

  it("is recorded if it was rejected, with the code of the error", async () => {
    const memory = createMemoryBackend();
    let calls = 0;
    const operations = new Proxy(memory.operations, {
      get: (target, name) => {
        if (name !== "redrive") return Reflect.get(target, name);
        return (...given: Parameters<typeof target.redrive>) => {
          calls += 1;
          return calls === 3 ? Promise.reject(new RangeError("broken")) : target.redrive(...given);
        };
      },
    });
    const { operator, end } = createOperatorStage({ ...memory, operations });
    for (let count = 0; count < 4; count += 1) await end("throw");
    const run = operator.redrive({ definition: "exports" }, { perSecond: 1_000, ...ANN });
    await expect(run).rejects.toThrow("broken");
    const [action] = await operator.actions();
    expect(action).toMatchObject({ ...ANN, facts: { redriven: 2, more: true, rejected: "INTERNAL" } });
  });

  it.each(["x", "1.2.3.4", 7])("refuses the cursor %s", async (cursor) => {
    const { operator } = createOperatorStage(createMemoryBackend());
    const redrive = operator.redrive({ tenant: "a" }, { cursor: cursor as string });
    await expect(redrive).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("refuses a cursor whose counts were changed to what is no count", async () => {
    const { operator, end } = createOperatorStage(createMemoryBackend());
    for (let count = 0; count < 2; count += 1) await end("throw");
    const { cursor = "" } = await operator.redrive({ tenant: "a" }, { limit: 1 });
    for (const count of ["-1", "1.5", "1e3", "9007199254740993", "x", ""]) {
      const changed = cursor.replace(/\.1\.0$/, `.${count}.0`);
      expect(changed).not.toBe(cursor);
      const redrive = operator.redrive({ tenant: "a" }, { cursor: changed });
      await expect(redrive).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });
});

describe("the list of actions", () => {
  it("has those of a definition, an operation or a range, at most as many as asked for", async () => {
    const clock = createManualClock();
    const { operator, submit } = createOperatorStage(createMemoryBackend({ clock }));
    const operationId = await submit("complete");
    const start = clock.now();
    const changes = [
      () => operator.pause("imports"),
      () => operator.cancel(operationId),
      () => operator.pause("exports"),
      () => operator.resume("imports"),
    ];
    for (const change of changes) {
      await change();
      await clock.advance(1_000);
    }
    const listed = async (filter: Parameters<typeof operator.actions>[0]) =>
      (await operator.actions(filter)).map(({ action, definition }) => `${action} ${definition}`);
    const [resumed, paused, cancelled, first] = [
      "resume imports",
      "pause exports",
      "cancel exports",
      "pause imports",
    ];
    const time = (seconds: number): Date => new Date(start + seconds * 1_000);
    expect(await listed({})).toEqual([resumed, paused, cancelled, first]);
    expect(await listed({ definition: "exports" })).toEqual([paused, cancelled]);
    expect(await listed({ operationId })).toEqual([cancelled]);
    expect(await listed({ from: time(1), to: time(3) })).toEqual([paused, cancelled]);
    expect(await listed({ limit: 1 })).toEqual([resumed]);
  });

  it("needs a store of actions", async () => {
    const { actions, ...backend } = createMemoryBackend();
    expect(actions).toBeDefined();
    const { operator, events } = createOperatorStage(backend);
    await operator.pause("exports", ANN);
    expect(events).toMatchObject([{ event: "operator.acted", ...ANN }]);
    await expect(operator.actions()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });

  it("survives another queue", async () => {
    const backend = createMemoryBackend();
    const { operator } = createOperatorStage(withQueue(backend, backend.queue));
    await operator.pause("exports");
    expect(await operator.actions()).toHaveLength(1);
  });

  it("forgets what is older than 90 days, by the cleaning of a worker", async () => {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const { operator, work } = createOperatorStage(backend);
    await operator.pause("exports");
    await clock.advance(90 * 86_400_000);
    await work();
    expect(await operator.actions()).toHaveLength(1);
    await clock.advance(1);
    await createOperatorStage(backend).work();
    expect(await operator.actions()).toEqual([]);
  });
});
