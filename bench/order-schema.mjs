import * as z from "zod";

/** The order schema for peers without their own schema language. */
export const orderSchema = z.strictObject({
  itemId: z.string().min(1).max(255),
  quantity: z.int().positive(),
});
