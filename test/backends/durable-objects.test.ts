import { createDurableObjectBackend } from "async-request-reply/durable-objects";
import { describe, expect, it } from "vitest";

const transactionSync = (steps: () => unknown): unknown => steps();

describe("createDurableObjectBackend", () => {
  it.each([
    ["no storage", undefined, "`storage`"],
    ["another object", {}, "`storage`"],
    ["storage without SQLite", { transactionSync }, "`storage.sql`"],
  ])("refuses %s, and says what it needs", (_, storage, name) => {
    expect(() => createDurableObjectBackend({ storage } as never)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringMatching(`${name}.*ctx\\.storage.*new_sqlite_classes`),
      }),
    );
  });

  it("refuses a row that the platform would refuse, by its bytes", async () => {
    const sql = { exec: () => ({ toArray: () => [] }) };
    const { operations } = createDurableObjectBackend({ storage: { sql, transactionSync } as never });
    const create = (input: string): Promise<unknown> =>
      operations.create({
        id: "01a22859-8d33-7596-883b-b906631e9c98",
        tenant: "ada",
        definition: "reports",
        input,
        retentionMs: 1,
        failedRetentionMs: 1,
      });
    await create("x".repeat(1_999_000));
    await expect(create("x".repeat(2_001_000))).rejects.toMatchObject({ code: "INTERNAL" });
    await expect(create("€".repeat(667_000))).rejects.toMatchObject({ code: "INTERNAL" });
  });
});
