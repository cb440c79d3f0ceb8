import { renameSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { describeClients } from "./clients.js";
import { type DatabaseFile, newDatabaseFile } from "./database-files.js";
import { newSubmission } from "./submissions.js";

describeClients("the file of an SQLite database", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  it.each([
    ["deleted", () => rmSync(file.path)],
    [
      "replaced",
      () => {
        renameSync(file.path, `${file.path}-old`);
        writeFileSync(file.path, "");
      },
    ],
  ])("accepts nothing after it was %s, because that would be lost with the process", async (_, change) => {
    const backend = file.open();
    await backend.submissions.record(newSubmission(1));
    change();
    const detail = expect.stringContaining("was deleted, moved or replaced");
    await expect(backend.submissions.record(newSubmission(2))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: detail,
      detail: expect.not.stringContaining(file.path),
      context: { recorded: "no" },
    });
    await expect(backend.check()).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });

  it("continues when it is moved back", async () => {
    const backend = file.open();
    await backend.submissions.record(newSubmission(1));
    renameSync(file.path, `${file.path}-away`);
    await expect(backend.submissions.record(newSubmission(2))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    renameSync(`${file.path}-away`, file.path);
    await backend.check();
    expect(await backend.submissions.record(newSubmission(2))).toEqual({ outcome: "created" });
  });

  describe("on a mount", () => {
    /** Lets `statfs` report a type of file system. Everything else is the real file system. */
    function reportType(statfsSync: () => { readonly type: number }): void {
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
