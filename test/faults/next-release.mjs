// What a process of the next release has of its own: the functions of its schema, and its contract.
import { defineOperation } from "async-request-reply";
import pg from "pg";
import * as z from "zod";

/** A connection that calls, of the functions that record, those that next-schema.ts makes. */
export class NextClient extends pg.Client {
  query(statement, ...more) {
    const text = statement?.text?.replace(/\.(record_(?:\w+_)?)v1\(/g, ".$1v2(");
    return super.query(text === undefined ? statement : Object.assign(statement, { text }), ...more);
  }
}

/** The orders of the next release: they know one more member, and refuse quantities that were fine before. */
export const nextOrders = defineOperation({
  name: "orders",
  path: "/orders",
  input: z.strictObject({
    itemId: z.string(),
    quantity: z.number().int().positive().max(100),
    gift: z.boolean().optional(),
  }),
});
