import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSqliteBackend } from "../../../src/backends/sqlite/index.js";
import { claimOne } from "../../support/claims.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

const folder = join(import.meta.dirname, "../../../src/backends/sqlite/schema");

/** Released versions never change, because files that were created with them exist. */
const FROZEN: Readonly<Record<string, string>> = {
  "1.sql": "9112fb1697563283632c4f13de7fc8b8fc51fe51216401fc13bc15df0984cc26",
  "2.sql": "03ea38e7c5e9760aa2c64f5d96b311ae944eb23eb1f4436cbcafe062300fd871",
  "output-triggers.sql": "d4d1f8515110b6c8953465d32f522ae20307f5b809cb2ad003ba9257bae1fe68",
  "3.sql": "f7b3be2c4c8d05d8c33def085c333f244831b7a6d7e826aca33a3b103194992c",
  "actions.sql": "43477ac4dc801659a5db816492d598725d87ad3b6b359036ca55fa892c22f7b7",
};

describe("the schema of SQLite", () => {
  it("has only frozen versions", () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    const hashes = files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]);
    const advice =
      "Files that have a version never run it again. Restore it, and add the change as the next version.";
    expect(Object.fromEntries(hashes), advice).toEqual(FROZEN);
  });
});

describeFile("the tables in an SQLite file", (file) => {
  it("keep large inputs apart from their operations, and delete both together", async () => {
    const backend = file.open();
    const input = JSON.stringify("x".repeat(100_000));
    await backend.submissions.record(newSubmission(1, { input, retentionMs: 1 }));
    const { id } = newSubmission(1).operation;
    const database = file.connect();
    const sizes = () =>
      database
        .prepare(
          "select length(o.input) as own, length(i.input) as apart from arr_inputs i, arr_operations o",
        )
        .all();
    expect(sizes()).toEqual([{ own: 0, apart: input.length }]);
    expect(await backend.operations.get(id, "tenant")).toMatchObject({ input });
    await backend.operations.requestCancel(id, "tenant");
    await expect.poll(() => backend.submissions.purge({ limit: 10 })).toBe(1);
    expect(database.prepare("select seq from arr_inputs").all()).toEqual([]);
  });

  it("have triggers only once an operation has output, because they slow down every claim", async () => {
    const backend = file.open();
    const triggers = () =>
      file.connect().prepare("select name from sqlite_master where type = 'trigger' order by name").all();
    await backend.submissions.record(newSubmission(1));
    const { id } = newSubmission(1).operation;
    const lease = { operationId: id, token: "first" };
    await claimOne(backend.operations, id, { token: lease.token, leaseMs: 60_000 });
    expect(triggers()).toEqual([]);
    await backend.output?.append([{ lease, from: 0, chunks: ["1"], bytes: 1 }]);
    expect(triggers()).toEqual([{ name: "arr_output_begins" }, { name: "arr_output_leaves" }]);
  });

  it.each([
    [4_000, 1_000],
    [0, 0],
    [500, 500],
  ])("are checkpointed every %i pages if the setting was %i", async (after, before) => {
    const database = file.connect();
    database.exec(`pragma wal_autocheckpoint = ${before}`);
    await createSqliteBackend({ database }).check();
    expect(database.prepare("pragma wal_autocheckpoint").all()).toEqual([{ wal_autocheckpoint: after }]);
  });

  it("leave tables and settings of other programs in the same file alone", async () => {
    const database = file.connect();
    database.exec("create table orders (id integer primary key); pragma user_version = 42");
    await file.open().submissions.record(newSubmission(1));
    expect(database.prepare("pragma user_version").all()).toEqual([{ user_version: 42 }]);
    expect(database.prepare("select name from sqlite_master where name not like 'arr_%'").all()).toEqual(
      expect.arrayContaining([{ name: "orders" }]),
    );
  });

  it("survive a restart in the middle of the work", async () => {
    const first = file.open();
    await first.submissions.record(newSubmission(1));
    const { id } = newSubmission(1).operation;
    await claimOne(first.operations, id, { token: "first", leaseMs: 60_000 });
    await first.close();
    const second = file.open();
    expect(await claimOne(second.operations, id, { token: "second", leaseMs: 1 })).toBeUndefined();
    const lease = { operationId: id, token: "first" };
    expect(await second.operations.settle(lease, { to: "completed", result: "1" })).toMatchObject({
      state: "completed",
    });
  });
});
