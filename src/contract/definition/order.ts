import * as z from "zod/mini";
import { checkOptions, type OptionNames } from "../options.js";
import type { StandardSchema } from "../schema.js";
import { defineOperation, type OperationDefinition, type OperationDefinitionOptions } from "./definition.js";

/** Order as a client submits it (spec §2). */
export interface Order {
  /** Id of the ordered item. 1 to 255 characters. */
  readonly itemId: string;
  /** Number of items. A whole number from 1 to 2^53 - 1. */
  readonly quantity: number;
}

// Every check has its own message, because the messages of zod depend on a global locale.
const sentence = (detail: string): { readonly error: (issue: { readonly input?: unknown }) => string } => ({
  error: ({ input }) => (input === undefined ? "is required" : detail),
});

const orderSchema = z.strictObject(
  {
    itemId: z.string(sentence("must be a string")).check(
      z.minLength(1, "must not be empty"),
      z.maxLength(255, "must have at most 255 characters"),
      // Many databases cannot store NUL in text.
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

/** JSON Schema of an order. zod/mini cannot generate it; a test compares it with the output of full zod. */
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

/** Schema of an order. Processors get orders as clients submit them. */
export type OrderSchema = StandardSchema<Order, Order>;

/** Definition of `POST /orders` (spec §4.1). */
export type OrderDefinition = OperationDefinition<
  "orders",
  "/orders",
  OrderSchema,
  undefined,
  undefined,
  undefined,
  undefined
>;

/** Options of {@link defineOrders}. */
export type OrderOptions = Pick<
  OperationDefinitionOptions<"orders", "/orders", OrderSchema, undefined, undefined>,
  | "idempotencyKey"
  | "cancellable"
  | "retentionMs"
  | "failedRetentionMs"
  | "startWithinMs"
  | "limits"
  | "serialBy"
  | "urgency"
  | "clientUrgency"
  | "deprecated"
>;

/** Names of {@link OrderOptions}. */
export const ORDER_OPTIONS: OptionNames<OrderOptions> = {
  idempotencyKey: true,
  cancellable: true,
  deprecated: true,
  retentionMs: true,
  failedRetentionMs: true,
  startWithinMs: true,
  limits: true,
  serialBy: true,
  urgency: true,
  clientUrgency: true,
};

/**
 * Defines the order operation, `POST /orders` (spec §4.1).
 *
 * Throws `INVALID_OPTION`, naming the option.
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
