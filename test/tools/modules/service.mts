import { defineOperation } from "async-request-reply";
import { createSqliteBackend, type SqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import * as z from "zod";

/** An operation of an ES module. */
export const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ year: z.number() }),
  result: z.object({ pages: z.number() }),
});

/** A back end with synchronous transactions. Only a `unique symbol` in its type says so. */
export const backend: SqliteBackend<Database.Database> = createSqliteBackend({
  database: new Database(":memory:"),
});
