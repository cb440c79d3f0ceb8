import { isAsyncReplyError } from "async-request-reply";
import { createSqliteBackend, type SqliteBackend, type SqliteDatabase } from "async-request-reply/sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { claimOne } from "../../support/claims.js";
import type { OpenDatabase } from "../../support/sqlite/clients.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

/** Checks that a process which only reads finds each operation of another one at once. */
async function expectReadsRecorded(reader: SqliteBackend, writer: SqliteBackend): Promise<void> {
  for (const number of [101, 102]) {
    const { id, tenant } = newSubmission(number).operation;
    expect(await reader.operations.get(id, tenant)).toBeUndefined();
    await writer.submissions.record(newSubmission(number));
    expect(await reader.operations.get(id, tenant)).toMatchObject({ id });
  }
}

/** Returns a database whose `exec` throws errors with the code and the message of Deno's client, and without a result code. */
function withoutCodes(database: OpenDatabase, onError: () => void): SqliteDatabase {
  return {
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => {
      try {
        return database.exec(sql);
      } catch (error) {
        onError();
        throw Object.assign(new Error((error as Error).message), { code: "ERR_SQLITE_ERROR" });
      }
    },
  };
}

describeFile("the lock of an SQLite file", (file) => {
  it("lets calls wait without blocking the event loop while another connection writes", async () => {
    const { submissions, operations } = file.open();
    await submissions.record(newSubmission(1));
    const other = file.connect();
    other.exec("begin immediate");
    let isDone = false;
    const recording = submissions.record(newSubmission(2)).finally(() => {
      isDone = true;
    });
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    expect(await operations.get(newSubmission(1).operation.id, "tenant")).toMatchObject({ state: "pending" });
    other.exec("commit");
    expect(await recording).toEqual({ outcome: "created" });
  });

  it("makes calls give up after `lockTimeoutMs`, with certainty that nothing was recorded (F20)", async () => {
    const { submissions } = file.open({ lockTimeoutMs: 20 });
    await submissions.record(newSubmission(1));
    const other = file.connect();
    other.exec("begin immediate");
    const error = await submissions.record(newSubmission(2)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORE_UNAVAILABLE", context: { recorded: "no" } });
    expect(String(error)).toContain("lockTimeoutMs");
    other.exec("commit");
    expect(await submissions.record(newSubmission(2))).toEqual({ outcome: "created" });
  });

  it("waits for the lock with a client that reports it only in a message, as Deno's does", async () => {
    const locker = file.connect();
    const onError = vi.fn();
    const database = withoutCodes(file.connect(), onError);
    const backend = createSqliteBackend({ database, synchronous: "normal" });
    onTestFinished(() => backend.close());
    await backend.submissions.record(newSubmission(1));
    locker.exec("begin immediate");
    const recording = backend.submissions.record(newSubmission(2));
    await vi.waitUntil(() => onError.mock.calls.length > 0);
    locker.exec("commit");
    expect(await recording).toEqual({ outcome: "created" });
  });

  it("reads what other connections commit after a call has given up", async () => {
    const reader = file.open({ lockTimeoutMs: 5 });
    await reader.submissions.record(newSubmission(1));
    const other = file.connect();
    other.exec("begin immediate");
    await expect(reader.submissions.record(newSubmission(2))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    other.exec("commit");
    await expectReadsRecorded(reader, file.open());
  });

  it("reads what other connections commit after a check that could not write", async () => {
    const [reader, writer] = [file.open(), file.open()];
    await writer.check();
    const other = file.connect();
    other.exec("begin immediate");
    await reader.check();
    other.exec("commit");
    await expectReadsRecorded(reader, writer);
  });

  it("reads what other connections commit after another process created the tables first", async () => {
    const [reader, writer] = [file.open(), file.open()];
    const other = file.connect();
    other.exec("pragma journal_mode = wal");
    other.exec("begin immediate");
    const reading = reader.operations.get("unknown", "tenant");
    other.exec("commit");
    // Creates the tables at once, before the timer of the other call.
    await Promise.all([writer.check(), reading]);
    await expectReadsRecorded(reader, writer);
  });

  it("lets two connections create the tables at the same time", async () => {
    const backends = [file.open(), file.open(), file.open()];
    const results = await Promise.all(
      backends.map(({ submissions }, index) => submissions.record(newSubmission(index))),
    );
    expect(results).toEqual(backends.map(() => ({ outcome: "created" })));
  });

  it("lets a settlement overtake a flood of submissions that came first", async () => {
    const { submissions, operations } = file.open({ maxBatch: 10 });
    await submissions.record(newSubmission(0));
    const order: string[] = [];
    const flood = Array.from({ length: 1_000 }, (_, index) =>
      submissions.record(newSubmission(index + 1)).then(() => order.push("submission")),
    );
    const { id } = newSubmission(0).operation;
    await claimOne(operations, id, { token: "token", leaseMs: 1_000 });
    await operations.settle({ operationId: id, token: "token" }, { to: "completed" });
    order.push("settled");
    await Promise.all(flood);
    expect(order.indexOf("settled")).toBeLessThan(50);
  });

  it("refuses calls with OVERLOADED when too many wait, and never other kinds of calls", async () => {
    const { submissions, operations } = file.open({ maxWaiting: 5 });
    await submissions.record(newSubmission(0));
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => submissions.record(newSubmission(index + 1))),
    );
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refused).toHaveLength(5);
    for (const error of refused)
      expect(isAsyncReplyError(error) && [error.code, error.context.recorded]).toEqual(["OVERLOADED", "no"]);
    expect(await operations.requestCancel(newSubmission(0).operation.id, "tenant")).toBe("cancelled");
  });

  it("fails only the call with an unreadable row among calls that share a transaction", async () => {
    const { submissions, operations } = file.open();
    const numbers = [0, 1, 2, 3];
    await Promise.all(numbers.map((number) => submissions.record(newSubmission(number))));
    file.connect().exec(`update arr_operations set state = 'odd' where key = 'key-2'`);
    const begin = (number: number) => {
      const { id, definition } = newSubmission(number).operation;
      return claimOne(operations, id, { token: `t${number}`, leaseMs: 1_000, definition }).then(
        (begun) => begun?.operation.attempt,
        ({ code }) => code,
      );
    };
    expect(await Promise.all(numbers.map(begin))).toEqual([1, 1, "CORRUPT_RECORD", 1]);
  });

  it("distinguishes keys that have the same hash", async () => {
    const { submissions } = file.open({ runtime: { hash: () => "AAAAAAAAAAAA" } });
    for (const number of [1, 2]) {
      expect(await submissions.record(newSubmission(number))).toEqual({ outcome: "created" });
      const again = newSubmission(number + 10, { key: `key-${number}` });
      expect(await submissions.record(again)).toMatchObject({
        outcome: "exists",
        operation: { id: newSubmission(number).operation.id },
      });
    }
    const find = (key: string) => submissions.findKey({ tenant: "tenant", definition: "orders", key });
    expect(await find("key-2")).toMatchObject({ operationId: newSubmission(2).operation.id });
    expect(await find("key-3")).toBeUndefined();
  });
});
