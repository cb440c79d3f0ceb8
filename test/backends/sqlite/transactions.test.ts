import { createService, createWorker, defineOperation, type Job } from "async-request-reply";
import { type Operation, problemType, type Sync } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { OpenDatabase } from "../../support/sqlite/clients.js";
import { ORDER, type OrderProcessor, orders, TENANT, write } from "../../support/sqlite/transaction-stage.js";
import { unreadable } from "../../support/unreadable.js";
import { errorOf } from "../../support/worker-stage.js";
import { noting } from "../noting.js";
import { describeStage } from "./per-test.js";
import { newSubmission } from "./submissions.js";

describeStage("job.transaction on an SQLite database", {}, (stage) => {
  /** Returns the error of the event about a failed operation. */
  const failure = () => stage.events.find((each) => each.event === "operation.failed");

  it("completes the operation and writes in one commit, and later code changes nothing", async () => {
    const id = await stage.submitted();
    const seen: unknown[] = [];
    await stage.work(async (_, job) => {
      const value = await job.transaction((database) => {
        write(database, job.operationId);
        seen.push(database === stage.database, stage.effects());
        return { parcel: 7 };
      });
      seen.push(value, (await stage.read(id))?.state, stage.effects());
      return { parcel: 8 };
    });
    expect(seen).toEqual([true, [], { parcel: 7 }, "completed", [id]]);
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 1, result: '{"parcel":7}' });
    const names = stage.events.map(({ event }) => event);
    expect(names).toEqual(["operation.accepted", "operation.started", "operation.completed"]);
  });

  it("rolls everything back if the function throws, and rethrows each error unchanged", async () => {
    for (const [name, hostile] of unreadable) {
      const id = await stage.submitted();
      const caught: unknown[] = [];
      await stage.work(async (_, job) => {
        const working = job.transaction((database) => {
          write(database, name);
          throw hostile;
        });
        await working.catch((error: unknown) => caught.push(error));
        return "caught";
      });
      expect(caught[0] === hostile, name).toBe(true);
      expect(await stage.read(id)).toMatchObject({ state: "completed", result: '"caught"' });
    }
    expect(stage.effects()).toEqual([]);
  });

  it("retries an attempt whose transaction was rolled back", async () => {
    const id = await stage.submitted();
    const run: OrderProcessor = (_, job) =>
      job.transaction((database) => {
        write(database, `attempt ${job.attempt}`);
        if (job.attempt === 1) throw new Error("deadline of the parcel service");
      });
    await stage.work(run, { maxAttempts: 2 });
    expect(await stage.read(id)).toMatchObject({ state: "pending" });
    await stage.clock.advance(60_000);
    await stage.work(run, { maxAttempts: 2 });
    expect(await stage.read(id)).toMatchObject({ state: "completed", attempt: 2 });
    expect(stage.effects()).toEqual(["attempt 2"]);
  });

  it("does not run the function if another attempt has begun, and writes nothing", async () => {
    const id = await stage.submitted();
    let ran = false;
    const caught: unknown[] = [];
    await stage.work(async (_, job) => {
      stage.database.exec("update arr_operations set token = 'of another worker'");
      const working = job.transaction((database) => {
        ran = true;
        write(database, "late");
      });
      await working.catch(noting(caught));
    });
    expect(caught).toMatchObject([{ code: "LEASE_LOST" }]);
    expect([ran, stage.effects()]).toEqual([false, []]);
    expect(await stage.read(id)).toMatchObject({ state: "pending" });
  });

  it("refuses an asynchronous function: rolls back, and fails the operation at once", async () => {
    const id = await stage.submitted();
    const late = new Error("after the first await");
    await stage.work(
      (_, job) =>
        // The cast is what a program without types does.
        job.transaction((async (database: typeof stage.database) => {
          write(database, "before the first await");
          await Promise.resolve();
          throw late;
        }) as () => never),
      { maxAttempts: 5 },
    );
    expect(await stage.read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect(failure()).toMatchObject({
      error: { code: "NO_TRANSACTIONS", detail: expect.stringContaining("without `async`") },
    });
    const after = { event: "background.failed", step: "after-transaction", error: late };
    expect(stage.events).toContainEqual(after);
    expect(stage.effects()).toEqual([]);
  });

  it.each(["commit", "rollback", "commit; begin"])(
    "says so if the function runs `%s`, and does not complete the operation",
    async (sql) => {
      const id = await stage.submitted();
      await stage.work((_, job) => job.transaction((database) => void database.exec(sql)));
      const operation = await stage.read(id);
      expect(operation).toMatchObject({ state: "failed" });
      expect(operation && errorOf(operation).type).toMatch(/attempts-exhausted$/);
      expect(failure()).toMatchObject({
        error: { code: "INVALID_OPTION", detail: expect.stringContaining("Do not run `commit`") },
      });
      // The connection is not left in a transaction.
      expect(await stage.submitted()).not.toBe(id);
    },
  );

  it("lets SQLite refuse a nested `begin`, and allows savepoints", async () => {
    const id = await stage.submitted();
    const caught: unknown[] = [];
    await stage.work((_, job) =>
      job.transaction((database) => {
        try {
          database.exec("begin");
        } catch (error) {
          caught.push(error);
        }
        database.exec("savepoint mine");
        write(database, "undone");
        database.exec("rollback to mine");
        write(database, "kept");
      }),
    );
    expect(String(caught[0])).toContain("cannot start a transaction within a transaction");
    expect(await stage.read(id)).toMatchObject({ state: "completed" });
    expect(stage.effects()).toEqual(["kept"]);
  });

  it("keeps other calls of the process out of the transaction", async () => {
    await stage.submitted();
    const keys = ["a", "b", "c"];
    let submitted: Promise<readonly string[]> | undefined;
    await stage.work(async (_, job) => {
      const submit = (): Promise<string>[] => keys.map((key) => stage.submitted(`${key} ${submitted}`));
      submitted = Promise.all(submit());
      await job.transaction((database) => {
        write(database, "undone");
        void submit();
        throw new Error("no");
      });
    });
    for (const id of (await submitted) ?? []) expect(await stage.read(id)).toBeDefined();
    expect(stage.effects()).toEqual([]);
    const listed = await stage.backend.operations.list({ limit: 10 });
    expect(listed).toHaveLength(1 + 2 * keys.length);
  });

  it("rolls back if the result schema is asynchronous, and fails the operation at once", async () => {
    const result = z.string().refine(async () => true);
    const letters = defineOperation({ name: "letters", path: "/letters", input: z.object({}), result });
    const definitions = [letters] as const;
    const service = createService({ definitions, backend: stage.backend, observe: false });
    const { operationId } = await service.submit(letters, {}, { tenant: TENANT });
    const run = (_: object, job: Job<unknown, Sync<OpenDatabase>>) =>
      job.transaction((database) => {
        write(database, "undone");
        return "sent";
      });
    await createWorker(service, { letters: run }).runUntilIdle();
    const operation = await stage.read(operationId);
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(operation && errorOf(operation).detail).toContain("The result schema must be synchronous.");
    expect(stage.effects()).toEqual([]);
  });

  describe("if the database refuses what is not ASCII", () => {
    const refuse = () =>
      stage.database.exec(
        "create trigger refuse before update on arr_operations when " +
          "coalesce(new.result, '') || coalesce(new.progress, '') glob '*[^ -~]*' begin select raise(abort, 'no'); end",
      );

    it("fails the operation at once if that is the result, and undoes the writes", async () => {
      const id = await stage.submitted();
      refuse();
      const thrown: unknown[] = [];
      await stage.work((_, job) => {
        const working = job.transaction((database) => {
          write(database, job.operationId);
          return "🦊";
        });
        return working.catch(noting(thrown));
      });
      expect(thrown).toMatchObject([{ code: "INVALID_RESULT" }]);
      expect(stage.effects()).toEqual([]);
      const operation = (await stage.read(id)) as Operation;
      expect(operation).toMatchObject({ state: "failed", attempt: 1 });
      expect(errorOf(operation)).toMatchObject({ type: problemType("invalid-result") });
    });

    it("completes it without the progress if it is only that", async () => {
      const id = await stage.submitted();
      refuse();
      await stage.work((_, job) => {
        job.progress("🦊");
        return job.transaction((database) => {
          write(database, job.operationId);
          return "done";
        });
      });
      const operation = await stage.read(id);
      expect(operation).toMatchObject({ state: "completed", result: '"done"', attempt: 1 });
      expect(operation?.progress).toBeUndefined();
      expect(stage.effects()).toEqual([id]);
    });
  });

  it("creates the follow-up of the operation in the same commit", async () => {
    const { id } = newSubmission(2).operation;
    const onEnd = { id, definition: "notices", input: "{}", retentionMs: 60_000 };
    const members = { tenant: TENANT, input: JSON.stringify(ORDER), onEnd };
    await stage.backend.submissions.record(newSubmission(1, members));
    const follow = async () => (await stage.backend.operations.getMany([onEnd.id])).length;
    await stage.work(async (_, job) => {
      await job.transaction(() => {}).catch(() => {});
      expect(await follow()).toBe(1);
    });
    expect(await follow()).toBe(1);
  });

  it("completes an operation whose cancellation was requested, and a later one comes too late", async () => {
    const id = await stage.submitted();
    const outcomes: unknown[] = [];
    const { service } = stage;
    const cancel = (each: string) => service.cancel(service.definitions[0], each, { tenant: TENANT });
    await stage.work(async (_, job) => {
      outcomes.push((await cancel(id)).outcome);
      const done = job.transaction((database) => write(database, id));
      const later = cancel(id);
      await done;
      outcomes.push((await later).outcome);
    });
    expect(outcomes).toEqual(["requested", "terminal"]);
    expect(await stage.read(id)).toMatchObject({ state: "completed" });
    expect(stage.effects()).toEqual([id]);
  });

  it("submits another operation in the transaction, or rolls that back too", async () => {
    const made: string[] = [];
    const run: OrderProcessor = async (_, job) => {
      if (made.length === 2) return;
      const next = await stage.service.prepare(orders, ORDER, { tenant: TENANT });
      await job.transaction((database) => {
        made.push(next.record(database).operationId);
        if (made.length === 1) throw new Error("no");
      });
    };
    for (const _ of [1, 2]) {
      await stage.submitted();
      await stage.work(run);
    }
    const [first = "", second = ""] = made;
    expect(await stage.read(first)).toBeUndefined();
    expect(await stage.read(second)).toMatchObject({ state: "completed" });
  });
});
