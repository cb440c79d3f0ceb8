import * as z from "zod";

/** The order as the peers check it that have no schema language of their own. */
export const orderSchema = z.strictObject({
  itemId: z.string().min(1).max(255),
  quantity: z.int().positive(),
});
