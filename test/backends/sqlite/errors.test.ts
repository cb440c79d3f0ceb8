import { readFileSync, writeFileSync } from "node:fs";
import { createSqliteBackend, type SqliteBackend } from "async-request-reply/sqlite";
import { describe, expect, it } from "vitest";
import { claimOne } from "../../support/claims.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

const SECRET = "a very secret input";

/** Errors of `check` and of a submission. */
async function errorsOf(backend: SqliteBackend): Promise<readonly [check: unknown, record: unknown]> {
  const record = backend.submissions.record(newSubmission(99, { input: JSON.stringify(SECRET) }));
  return [
    await backend.check().catch((error: unknown) => error),
    await record.catch((error: unknown) => error),
  ];
}

describeFile("an SQLite file that cannot be used", (file, client) => {
  it("is named as read-only", async () => {
    await file.open().submissions.record(newSubmission(1));
    const database = file.connect();
    // Not every client can open a file for reading only. The errors of SQLite are the same.
    database.exec("pragma query_only = on");
    const [check, record] = await errorsOf(createSqliteBackend({ database }));
    expect(check).toMatchObject({ code: "INVALID_OPTION", detail: expect.stringContaining("read-only") });
    expect(record).toMatchObject({ code: "STORE_UNAVAILABLE", context: { recorded: "no" } });
  });

  it("is named as one that needs a newer release, and stays as it is", async () => {
    await file.open().check();
    const database = file.connect();
    database.exec("insert into arr_versions values (7, 5, 0)");
    const [check, record] = await errorsOf(createSqliteBackend({ database }));
    expect(check).toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringMatching(/version 7 .* only version 3.*Upgrade the package/),
    });
    expect(record).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("Upgrade the package"),
      detail: expect.not.stringContaining("Upgrade"),
    });
    expect(database.prepare("select id from arr_operations").all()).toEqual([]);
  });

  it("is named as one that no published release has made, and stays as it is", async () => {
    const database = file.connect();
    database.exec(
      `create table arr_migrations (version integer primary key, needs integer not null, applied_at integer not null);
       insert into arr_migrations values (1, 1, 0);
       create table arr_operations (seq integer primary key, id text, input text)`,
    );
    const [check, record] = await errorsOf(createSqliteBackend({ database }));
    const sentence =
      "The database file was made by an unpublished version of async-request-reply. Delete it, or open another file.";
    expect(check).toMatchObject({ code: "INVALID_OPTION", detail: sentence });
    expect(record).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining(sentence),
      context: { recorded: "no" },
    });
    expect(database.prepare("select name from sqlite_master where type = 'table'").all()).toEqual([
      { name: "arr_migrations" },
      { name: "arr_operations" },
    ]);
  });

  it("is used if a newer release has only added to its tables", async () => {
    await file.open().check();
    const database = file.connect();
    database.exec(
      "alter table arr_operations add column color text; insert into arr_versions values (4, 1, 0)",
    );
    const backend = createSqliteBackend({ database });
    await backend.check();
    expect(await backend.submissions.record(newSubmission(1))).toEqual({ outcome: "created" });
  });

  it("is named as something else than a database", async () => {
    writeFileSync(file.path, "This is a text, and it is longer than the header of a database. ".repeat(50));
    const [check, record] = await errorsOf(file.open());
    expect(check).toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining("not an SQLite database"),
    });
    expect(record).toMatchObject({ code: "CORRUPT_RECORD" });
  });

  it("is full: submissions are refused, everything committed can be read, and purging makes room", async () => {
    const database = file.connect();
    const backend = createSqliteBackend({ database, synchronous: "normal" });
    const input = JSON.stringify("x".repeat(2_000));
    await backend.submissions.record(newSubmission(0, { input, retentionMs: 1 }));
    database.exec("pragma max_page_count = 60");
    const outcomes: string[] = [];
    for (let number = 1; number < 200 && outcomes.at(-1) !== "OVERLOADED"; number += 1)
      outcomes.push(
        await backend.submissions.record(newSubmission(number, { input, retentionMs: 1 })).then(
          ({ outcome }) => outcome,
          ({ code, context }) => (context.recorded === "no" ? String(code) : "unknown"),
        ),
      );
    expect(outcomes.at(-1)).toBe("OVERLOADED");
    const created = outcomes.length - 1;
    expect(created).toBeGreaterThan(10);
    const { id } = newSubmission(1).operation;
    expect(await backend.operations.get(id, "tenant")).toMatchObject({ input });
    expect(await backend.operations.get(newSubmission(created + 1).operation.id, "tenant")).toBeUndefined();
    database.exec("pragma max_page_count = 70");
    expect(await backend.operations.requestCancel(id, "tenant")).toBe("cancelled");
    await expect.poll(() => backend.submissions.purge({ limit: 10 })).toBe(1);
    expect(await backend.operations.get(id, "tenant")).toBeUndefined();
  });

  it("has an operation that cannot be read, which does not keep the purge from the others", async () => {
    const database = file.connect();
    const backend = createSqliteBackend({ database });
    const { operations, submissions } = backend;
    const retention = { retentionMs: 1, failedRetentionMs: 1 };
    const [failed, other] = [newSubmission(1, retention), newSubmission(2, retention)];
    for (const each of [failed, other]) await submissions.record(each);
    const { id } = failed.operation;
    await claimOne(operations, id, { token: "t", leaseMs: 60_000 });
    await operations.settle({ operationId: id, token: "t" }, { to: "failed", error: "{}" });
    const successor = newSubmission(3).operation.id;
    await operations.redrive(id, { id: successor, onEndId: successor });
    for (const each of [successor, other.operation.id]) await operations.requestCancel(each, "tenant");
    database.exec(`update arr_operations set attempt = 'unreadable' where id = '${id}'`);
    const left = () => database.prepare("select id from arr_operations").all();
    await expect
      .poll(async () => {
        await submissions.purge({ limit: 10 });
        return left();
      })
      .toEqual([]);
  });

  it("is closed", async () => {
    const database = client.open(":memory:");
    const backend = createSqliteBackend({ database });
    database.close();
    const [check, record] = await errorsOf(backend);
    expect(check).toMatchObject({ code: "STORE_UNAVAILABLE", detail: expect.stringContaining("open") });
    expect(record).toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("has damaged pages, which is never reported as an absence, and errors do not quote data", async () => {
    const database = file.connect();
    const backend = createSqliteBackend({ database, synchronous: "normal" });
    for (let number = 0; number < 50; number += 1)
      await backend.submissions.record(newSubmission(number, { input: JSON.stringify(SECRET) }));
    database.exec("pragma wal_checkpoint(truncate)");
    const bytes = readFileSync(file.path);
    // The first two pages describe the tables and their version.
    writeFileSync(file.path, bytes.fill(0xff, 2 * 4_096));
    const broken = createSqliteBackend({ database: file.connect() });
    const reading = broken.operations.get(newSubmission(1).operation.id, "tenant");
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CORRUPT_RECORD" });
    expect(`${error} ${(error as Error).cause}`).not.toContain(SECRET);
  });
});

describe("createSqliteBackend", () => {
  it.each([
    [{}, "database"],
    [{ database: "orders.db" }, "database"],
    [{ database: { exec: () => {}, prepare: () => {} }, synchronous: "off" }, "synchronous"],
    [{ database: { exec: () => {}, prepare: () => {} }, lockTimeoutMs: 0 }, "lockTimeoutMs"],
    [{ database: { exec: () => {}, prepare: () => {} }, syncronous: "full" }, "synchronous"],
  ])("names the mistake in %o", (options, name) => {
    expect(() => createSqliteBackend(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", detail: expect.stringContaining(name) }),
    );
  });
});
