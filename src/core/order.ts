import * as z from "zod/mini";
import {
  type CreateResource,
  defineOperation,
  type OperationDefinition,
  type OperationDefinitionOptions,
} from "./definition.js";
import { checkFunction } from "./options.js";

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

/** The operation of spec §4.1: `POST /orders`. */
export type OrderDefinition = OperationDefinition<"orders", Order, unknown, Order>;

/** What of the order operation is up to its user. */
export type OrderOptions<Tx = unknown> = Pick<
  OperationDefinitionOptions<"orders", Order, unknown, Order, Tx>,
  "create" | "idempotencyKey" | "cancellable" | "deprecated"
>;

/**
 * Defines the order operation. With `create` the order is made before the reply, which is then a 201 whose body
 * has the `status` `pending` (spec §4.1).
 */
export function defineOrders<Tx = unknown>(options: OrderOptions<Tx> = {}): OrderDefinition {
  const { create, ...rest } = options;
  checkFunction("create", create, { optional: true });
  return defineOperation({
    ...rest,
    name: "orders",
    rootName: "order",
    path: "/orders",
    input: orderSchema,
    jsonSchema: orderJsonSchema,
    ...(create === undefined ? {} : { create: withPendingStatus(create) }),
  });
}

function withPendingStatus<Tx>(create: CreateResource<Order, Tx>): CreateResource<Order, Tx> {
  return async (order, context) => {
    const created = await create(order, context);
    return { ...created, body: { ...created.body, status: "pending" } };
  };
}
