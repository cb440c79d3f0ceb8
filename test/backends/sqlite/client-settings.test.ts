import { createSqliteBackend } from "async-request-reply/sqlite";
import { expect, it } from "vitest";
import { claimOne } from "../../support/claims.js";
import type { OpenDatabase, SqliteClient } from "../../support/sqlite/clients.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

/** A database of which a client returns integers as BigInt. */
interface SafeIntegers extends OpenDatabase {
  defaultSafeIntegers(on: boolean): unknown;
}

/** Opens databases of the client of Node.js with its own options. */
function withOptions(options: object): SqliteClient["open"] {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
    readonly DatabaseSync: new (path: string, options: object) => OpenDatabase;
  };
  return (path) => new DatabaseSync(path, options);
}

async function expectWorks(database: OpenDatabase) {
  const backend = createSqliteBackend({ database });
  try {
    await backend.check();
    const { id, tenant } = newSubmission(1).operation;
    expect(await backend.submissions.record(newSubmission(1))).toMatchObject({ outcome: "created" });
    await claimOne(backend.operations, id, { token: "t", leaseMs: 1_000 });
    await backend.operations.settle({ operationId: id, token: "t" }, { to: "completed", result: "1" });
    expect(await backend.operations.get(id, tenant)).toMatchObject({ state: "completed", result: "1" });
  } finally {
    await backend.close();
  }
}

describeFile(
  "an SQLite database with integers as BigInt",
  (file) => {
    it("keeps operations, and still returns BigInt to its user", async () => {
      const database = file.connect() as SafeIntegers;
      database.defaultSafeIntegers(true);
      await expectWorks(database);
      expect(database.prepare("select 1 as n").all()).toEqual([{ n: 1n }]);
    });
  },
  ["better-sqlite3", "libsql"],
);

describeFile(
  "an SQLite database",
  (file, client) => {
    it.each([{ readBigInts: true }, { returnArrays: true }])("keeps operations with %o", async (options) => {
      await expectWorks(file.connect({ ...client, open: withOptions(options) }));
    });
  },
  ["node:sqlite"],
);

describeFile("an SQLite database whose rows have another form", (file) => {
  const refusal = (detail: string) => ({ code: "INVALID_OPTION", detail });

  it("is refused by the name of the pragma if columns have the names of their tables", async () => {
    const database = file.connect();
    database.exec("pragma full_column_names = on");
    await expect(createSqliteBackend({ database }).check()).rejects.toMatchObject(
      refusal(
        'The database names a column "t.name" instead of "name". Run `pragma full_column_names = off` on its connection.',
      ),
    );
  });

  it.each([
    ["arrays", "arrays", (row: object) => Object.values(row)],
    ["BigInt", "integers as BigInt", (row: object) => ({ ...row, number: 1n })],
  ])("is refused if the client always returns %s", async (_, what, change) => {
    const database = file.connect();
    const changed = {
      exec: (sql: string) => database.exec(sql),
      prepare: (sql: string) => {
        const statement = database.prepare(sql) as { run(): unknown; all(): object[] };
        return { run: () => statement.run(), all: () => statement.all().map((row): object => change(row)) };
      },
    };
    await expect(createSqliteBackend({ database: changed }).check()).rejects.toMatchObject(
      refusal(
        `The client of SQLite returns ${what}. Open the database without the option for that, such as \`safeIntegers\`, ` +
          "`readBigInts` or `returnArrays`.",
      ),
    );
  });
});
