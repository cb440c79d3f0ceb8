import * as z from "zod/mini";
import { defineOperation, type OperationDefinition, type OperationDefinitionOptions } from "./definition.js";
import { checkOptions, type OptionNames } from "./options.js";
import type { StandardSchema } from "./schema/standard-schema.js";

/** An order as a client submits it (spec §2). */
export interface Order {
  /** Identifies the item ordered: 1 to 255 characters. */
  readonly itemId: string;
  /** How many: a whole number greater than 0, at most 2^53 - 1. */
  readonly quantity: number;
}

// Every check has its own sentence: zod's depend on the locale that somebody else may have set.
const sentence = (detail: string): { readonly error: (issue: { readonly input?: unknown }) => string } => ({
  error: ({ input }) => (input === undefined ? "is required" : detail),
});

const orderSchema = z.strictObject(
  {
    itemId: z.string(sentence("must be a string")).check(
      z.minLength(1, "must not be empty"),
      z.maxLength(255, "must have at most 255 characters"),
      // Many databases cannot keep it in text.
      z.refine((text) => !text.includes("\u0000"), "must not contain the character NUL"),
    ),
    quantity: z
      .number(sentence("must be a number"))
      .check(
        z.int("must be a whole number of at most 9007199254740991"),
        z.positive("must be greater than 0"),
      ),
  },
  "must be an object with the members itemId and quantity",
);

/** JSON Schema of an order. zod/mini cannot give it; a test compares it with what full zod says. */
const orderJsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    itemId: { type: "string", minLength: 1, maxLength: 255 },
    quantity: { type: "integer", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  required: ["itemId", "quantity"],
  additionalProperties: false,
} as const;

/** The schema of an order: clients submit what processors get. */
export type OrderSchema = StandardSchema<Order, Order>;

/** The operation of spec §4.1: `POST /orders`. */
export type OrderDefinition = OperationDefinition<"orders", "/orders", OrderSchema, undefined, undefined>;

/** The options of {@link defineOrders}. */
export type OrderOptions = Pick<
  OperationDefinitionOptions<"orders", "/orders", OrderSchema, undefined, undefined>,
  "idempotencyKey" | "cancellable" | "retentionMs" | "deprecated"
>;

/** Names of {@link OrderOptions}. */
export const ORDER_OPTIONS: OptionNames<OrderOptions> = {
  idempotencyKey: true,
  cancellable: true,
  deprecated: true,
  retentionMs: true,
};

/**
 * Defines the order operation.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function defineOrders(options: OrderOptions = {}): OrderDefinition {
  checkOptions(options, ORDER_OPTIONS, "defineOrders");
  const input: OrderSchema = orderSchema;
  return defineOperation({
    ...options,
    name: "orders",
    rootName: "order",
    path: "/orders",
    input,
    jsonSchema: orderJsonSchema,
  });
}
