import { defineOperation } from "async-request-reply";
import * as z from "zod";

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
