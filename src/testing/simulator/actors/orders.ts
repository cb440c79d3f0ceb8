import { defineOrders, type OrderDefinition } from "../../../contract/definition/order.js";
import { anything } from "./notices.js";
import { ORDER_LIMITS, PENDING_PER_TENANT } from "./options.js";

/** Unlike notices, failed orders are kept longer. */
const ORDER_OPTIONS = { cancellable: true, retentionMs: 3_600_000, failedRetentionMs: 5_400_000 } as const;

/** The definition of orders, as all processes know it. */
export const orders: OrderDefinition = defineOrders({ ...ORDER_OPTIONS, limits: ORDER_LIMITS });

/** Returns the definition of orders of one history, which may limit their backlog or have output and checkpoints. */
export function ordersWith({
  backlog,
  output,
}: Readonly<Record<"backlog" | "output", boolean>>): OrderDefinition {
  const limits = backlog ? { ...ORDER_LIMITS, pendingPerTenant: PENDING_PER_TENANT } : ORDER_LIMITS;
  const defined = defineOrders({ ...ORDER_OPTIONS, limits });
  // The type stays the same, because only the processor and the readers know of these members.
  return output ? { ...defined, chunk: anything as never, checkpoint: anything as never } : defined;
}
