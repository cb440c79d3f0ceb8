import { AsyncReplyError, type Backend, createMemoryBackend, type OperationStore } from "async-request-reply";
import { createOperator, type Operator } from "async-request-reply/operator";
import type { ListRequest } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { createOperatorStage, existing, exportsOf, importsOf, redriven } from "../support/operator/stage.js";

const definitions = [exportsOf, importsOf] as const;

/** Creates a memory back end and replaces methods of its operation store. */
function changed(
  change: Partial<Record<keyof OperationStore, unknown>>,
  backend: Backend<never> = createMemoryBackend(),
): Backend<never> {
  const operations = new Proxy(backend.operations, {
    get: (target, name) => {
      if (name in change) return change[name as keyof OperationStore];
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...backend, operations };
}

describe("a store that does not answer", () => {
  it("times out after 30 seconds", async () => {
    const clock = createManualClock();
    const backend = changed({ stats: () => new Promise(() => {}) });
    const operator = createOperator({ backend, definitions, runtime: { clock } });
    const answer = expect(operator.stats()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await clock.advance(30_000);
    await answer;
  });
});

describe("a page of a list", () => {
  it("is read with one call to the store", async () => {
    const requests: unknown[] = [];
    const { operations } = createMemoryBackend();
    const list: OperationStore["list"] = async (request) => {
      requests.push(request);
      return operations.list(request);
    };
    for (const outcome of ["a", "b", "c"]) {
      const id = `01900000-0000-7000-8000-00000000000${outcome}`;
      await operations.create({ id, tenant: "a", definition: "exports", input: "1", retentionMs: 1 });
    }
    const operator = createOperator({ backend: changed({ list }), definitions });
    expect(await operator.list({ limit: 2, status: "pending" })).toMatchObject({ operations: { length: 2 } });
    expect(requests).toEqual([{ limit: 3, state: "pending" }]);
  });
});

describe("an answer of the store that was lost", () => {
  it("leads to the same operation if the redrive is repeated", async () => {
    const backend = createMemoryBackend();
    const { operations } = backend;
    let lost = true;
    const redrive: OperationStore["redrive"] = async (...args) => {
      const result = await operations.redrive(...args);
      if (lost) throw new AsyncReplyError("STORE_UNAVAILABLE", "The connection broke.");
      return result;
    };
    const stage = createOperatorStage(changed({ redrive }, backend));
    const failed = await stage.end("throw");
    await expect(stage.operator.redrive(failed)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    const { retriedBy } = await existing(stage.operator.get(failed));
    await expect(stage.operator.redrive({ tenant: "a" })).resolves.toEqual({ redriven: 0, skipped: 1 });
    lost = false;
    expect(await stage.operator.redrive(failed)).toMatchObject({
      outcome: "already-redriven",
      operation: { operationId: retriedBy },
    });
    expect((await stage.operator.list()).operations).toHaveLength(2);
  });
});

describe("a queue that does not answer", () => {
  /** Creates an operator whose queue does not answer for 10 s, and one failed operation. */
  async function createSilentStage() {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const stage = createOperatorStage(backend);
    const failed = await stage.end("mend");
    stage.mend();
    const silent = { ...backend.queue, publish: (): Promise<void> => new Promise(() => {}) };
    const operator = stage.other({ backend: { ...backend, queue: silent }, runtime: { clock } });
    return { ...stage, operator, clock, failed };
  }

  it.each([
    ["one", (operator: Operator, id: string): Promise<unknown> => operator.redrive(id)],
    ["many", (operator: Operator): Promise<unknown> => operator.redrive({ tenant: "a" })],
  ])("is awaited by a redrive of %s, so that a script can end then", async (_, redrive) => {
    const { operator, clock, failed, work } = await createSilentStage();
    let done = false;
    const ended = redrive(operator, failed).then(() => {
      done = true;
    });
    await clock.advance(9_999);
    expect(done).toBe(false);
    await clock.advance(1);
    await ended;
    const { retriedBy } = await existing(operator.get(failed));
    // The sweep announces it.
    await clock.advance(20_000);
    await work();
    expect(await operator.get(retriedBy ?? "")).toMatchObject({ status: "completed" });
  });
});

describe("a failed operation that was redriven", () => {
  it("is kept until its successor is gone", async () => {
    const clock = createManualClock();
    const stage = createOperatorStage(createMemoryBackend({ clock }));
    const failed = await stage.end("throw");
    await clock.advance(600_000_000);
    const successor = await redriven(stage.operator, failed);
    await stage.work();
    await clock.advance(600_000_000);
    await stage.work();
    expect(await stage.operator.get(failed)).toMatchObject({ retriedBy: successor });
    await clock.advance(80_000_000);
    await stage.work();
    await stage.work();
    expect(await stage.operator.get(successor)).toBeUndefined();
    expect(await stage.operator.get(failed)).toBeUndefined();
  });
});

describe("a store without `inspect`", () => {
  const lastError = (attempt: number): string =>
    JSON.stringify({ type: "about:blank", title: "Failed", detail: "broken", attempt, at: 1_000 });
  const failed = { attempt: 1, outcome: "failed", endedAt: new Date(1_000), detail: "broken" };

  it("shows operators what it knows of attempts and waits", async () => {
    const backend = createMemoryBackend();
    const { operator, submit } = createOperatorStage(changed({ inspect: undefined }, backend));
    const id = await submit("complete");
    const begin = (token: string) => claimOne(backend.operations, id, { token, leaseMs: 60_000 });
    await begin("t1");
    expect((await operator.get(id))?.attempts).toEqual([{ attempt: 1, outcome: "running" }]);
    expect(await operator.explain(id)).toEqual([{ reason: "attempt-open", attempt: 1, lost: false }]);
    const retry = { to: "retry", delayMs: 0, countAttempt: true } as const;
    await backend.operations.settle({ operationId: id, token: "t1" }, { ...retry, lastError: lastError(1) });
    const { attempts, dueAt } = await existing(operator.get(id));
    expect([attempts, dueAt]).toEqual([[failed], undefined]);
    expect(await operator.explain(id)).toEqual([{ reason: "retry", attempt: 1, failedAt: new Date(1_000) }]);
    await begin("t2");
    await backend.operations.settle({ operationId: id, token: "t2" }, { to: "completed" });
    expect((await operator.get(id))?.attempts).toEqual([
      failed,
      { attempt: 2, outcome: "completed", endedAt: expect.any(Date) },
    ]);
  });

  it("tells whether anything of a definition is due, but not of one operation", async () => {
    const { operator, backend } = createOperatorStage(changed({ inspect: undefined }));
    const id = "01900000-0000-7000-8000-000000000001";
    const operation = { tenant: "a", definition: "exports", input: "{}", retentionMs: 60_000 };
    await backend.operations.create({ ...operation, id, delayMs: 60_000 });
    expect(await operator.explain(id)).toEqual([{ reason: "delayed" }]);
  });
});

describe("the principal who submitted an operation", () => {
  it("is shown if the store keeps it", async () => {
    const backend = createMemoryBackend();
    const { operations } = backend;
    const kept = <T extends object>(operation: T): T => ({ ...operation, principal: "ann" });
    const stage = createOperatorStage(
      changed(
        {
          inspect: undefined,
          list: async (request: ListRequest) => (await operations.list(request)).map(kept),
          getMany: async (ids: readonly string[]) => (await operations.getMany(ids)).map(kept),
        },
        backend,
      ),
    );
    const operationId = await stage.submit("complete");
    expect(await stage.operator.get(operationId)).toMatchObject({ principal: "ann" });
    expect((await stage.operator.list()).operations).toMatchObject([{ principal: "ann" }]);
  });

  it("is absent if code submitted it", async () => {
    const { operator, submit } = createOperatorStage(createMemoryBackend());
    expect(await operator.get(await submit("complete"))).not.toHaveProperty("principal");
  });
});
