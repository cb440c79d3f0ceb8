import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

describeFile("the file of an SQLite database", (file, client) => {
  const changes = [
    ["deleted", (path: string) => rmSync(path)],
    [
      "replaced",
      (path: string) => {
        renameSync(path, `${path}-old`);
        writeFileSync(path, "");
      },
    ],
  ] as const;

  it.each(changes)(
    "accepts nothing after it was %s, because that would be lost with the process",
    async (_, change) => {
      const backend = file.open();
      await backend.submissions.record(newSubmission(1));
      change(file.path);
      const detail = expect.stringContaining("was deleted, moved or replaced");
      await expect(backend.submissions.record(newSubmission(2))).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: detail,
        detail: expect.not.stringContaining(file.path),
        context: { recorded: "no" },
      });
      await expect(backend.check()).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
    },
  );

  describe.each([
    ["the write-ahead log", "-wal"],
    ["the shared memory", "-shm"],
  ])("accepts nothing after %s was", (_, suffix) => {
    it.each(changes)("%s, because other processes do not see it any more", async (__, change) => {
      const database = file.connect();
      const backend = createSqliteBackend({ database });
      await backend.submissions.record(newSubmission(1));
      change(`${file.path}${suffix}`);
      const detail = expect.stringContaining(`test.db${suffix}" was deleted, moved or replaced`);
      await expect(backend.submissions.record(newSubmission(2))).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: detail,
        context: { recorded: "no" },
      });
      await expect(backend.check()).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
      const prepared = await backend.submissions.synchronous?.prepare(newSubmission(3));
      database.exec("begin immediate");
      expect(() => prepared?.record(database)).toThrow(
        expect.objectContaining({ code: "STORE_UNAVAILABLE", message: detail }),
      );
      database.exec("rollback");
      await backend.close();
    });
  });

  it.each(["", "-wal", "-shm"])("notices the loss of a file %j that was there for long", async (suffix) => {
    const clock = createManualClock();
    const backend = createSqliteBackend({ database: file.connect(), runtime: { clock } });
    await backend.submissions.record(newSubmission(1));
    await clock.advance(10_000);
    expect(await backend.submissions.record(newSubmission(2))).toEqual({ outcome: "created" });
    // The manual clock jumps, but two changes of the folder at the same time would look like one.
    await expect.poll(() => Date.now() - statSync(dirname(file.path)).mtimeMs).toBeGreaterThan(50);
    rmSync(`${file.path}${suffix}`);
    await expect(backend.submissions.record(newSubmission(3))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    await backend.close();
  });

  it("continues after the last other connection has closed it, and after a checkpoint", async () => {
    const backend = file.open();
    const other = client.open(file.path);
    other.exec("create table mine (x)");
    await backend.submissions.record(newSubmission(1));
    other.exec("pragma wal_checkpoint(truncate)");
    other.close();
    await backend.check();
    expect(await backend.submissions.record(newSubmission(2))).toEqual({ outcome: "created" });
  });

  it.each(["", "-wal"])("continues when it is moved back (%j)", async (suffix) => {
    const path = `${file.path}${suffix}`;
    const backend = file.open();
    await backend.submissions.record(newSubmission(1));
    renameSync(path, `${path}-away`);
    await expect(backend.submissions.record(newSubmission(2))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    renameSync(`${path}-away`, path);
    await backend.check();
    expect(await backend.submissions.record(newSubmission(2))).toEqual({ outcome: "created" });
  });

  describe("on a mount", () => {
    /** Lets `statfs` report a type of file system. Everything else is the real file system. */
    function reportType(statfsSync: () => { readonly type: number }) {
      const builtin = process.getBuiltinModule;
      const spy = vi
        .spyOn(process, "getBuiltinModule")
        .mockImplementation((name: string) =>
          name === "node:fs" ? { ...builtin("node:fs"), statfsSync } : (builtin(name) as never),
        );
      onTestFinished(() => spy.mockRestore());
    }

    it.each([
      ["NFS", 0x6969],
      ["SMB", 0xff534d42],
      // The same number, as a signed one.
      ["SMB", 0xfe534d42 - 2 ** 32],
    ])("of the network is refused, and the error names %s", async (name, type) => {
      reportType(() => ({ type }));
      const backend = file.open();
      const detail = expect.stringMatching(new RegExp(`network mount \\(${name}\\).*local disk.*Postgres`));
      await expect(backend.check()).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
      await expect(backend.submissions.record(newSubmission(1))).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: detail,
      });
    });

    it.each([
      ["of a local disk", () => ({ type: 0xef53 })],
      [
        "whose type is unknown",
        () => {
          throw new Error("not supported");
        },
      ],
    ])("%s is used", async (_, statfs) => {
      reportType(statfs);
      await expect(file.open().check()).resolves.toBeUndefined();
    });
  });
});
