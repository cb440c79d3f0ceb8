// The parts of a process that the next release changes: the functions of its schema, and its contract.
import { defineOperation } from "async-request-reply";
import pg from "pg";
import * as z from "zod";

/** A connection that calls the recording functions of next-schema.ts instead of the current ones. */
export class NextClient extends pg.Client {
  query(statement, ...more) {
    const text = statement?.text?.replace(/\.(record_(?:\w+_)?)v1\(/g, ".$1v2(");
    return super.query(text === undefined ? statement : Object.assign(statement, { text }), ...more);
  }
}

/** The orders of the next release. They allow one more member and refuse quantities that are valid today. */
export const nextOrders = defineOperation({
  name: "orders",
  path: "/orders",
  input: z.strictObject({
    itemId: z.string(),
    quantity: z.number().int().positive().max(100),
    gift: z.boolean().optional(),
  }),
});
