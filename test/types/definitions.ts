import { defineOperation } from "async-request-reply";
import * as v from "valibot";
import * as z from "zod";

export const authorize = () => ({ id: "user-1" });

/** Its input has a default, and its result has a transformation. */
export const exportsOf = defineOperation({
  name: "exports",
  path: "/accounts/{accountId}/exports",
  input: z.strictObject({ accountId: z.string(), format: z.enum(["csv", "parquet"]).default("csv") }),
  result: z.object({ url: z.url(), rows: z.int(), at: z.string().transform((text) => new Date(text)) }),
  progress: z.object({ percent: z.number() }),
  cancellable: true,
});

/** Its schema is of another library, and it has no result. */
export const orders = defineOperation({
  name: "orders",
  path: "/orders",
  input: v.object({ itemId: v.string(), quantity: v.number() }),
});

export const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ year: z.number(), title: z.string().default("Report") }),
  result: z.object({ pages: z.number() }),
});

/** The members of a client of SQLite that matter here. Every client adds others. */
export interface Database {
  exec(sql: string): this;
  prepare(sql: string): {
    run(...values: unknown[]): { readonly changes: number };
    all(...values: unknown[]): unknown[];
    get(...values: unknown[]): unknown;
  };
  pragma(source: string): unknown;
}
