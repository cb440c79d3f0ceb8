import type { ServiceEvent } from "./observer.js";
import type { OverdueOperation } from "./operation-store.js";

/** Returns the event about an operation that ended because it was overdue. */
export function expiredEvent({ id: operationId, ...about }: OverdueOperation): ServiceEvent {
  return { event: "operation.expired", operationId, ...about };
}
