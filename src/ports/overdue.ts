import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";
import type { ServiceEvent } from "./observer.js";
import type { OperationStore, OverdueOperation } from "./operation-store.js";

/**
 * Checks that a store ends the overdue operations of definitions.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkDeadlines(definitions: Definitions, store: OperationStore): void {
  for (const { name, startWithinMs } of definitions)
    if (startWithinMs !== undefined) checkEndsOverdue(store, `The definition "${name}" has`);
}

/**
 * Checks that a store ends overdue operations.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param subject What needs it, as the start of a sentence.
 */
export function checkEndsOverdue({ endOverdue }: OperationStore, subject: string): void {
  if (endOverdue !== undefined) return;
  throw misuse(
    `${subject} \`startWithinMs\`, but the store of this back end cannot end overdue operations. Leave it out, or add ` +
      "`endOverdue` to your store.",
  );
}

/** Returns the event about an operation that ended because it was overdue. */
export function expiredEvent({ id: operationId, ...about }: OverdueOperation): ServiceEvent {
  return { event: "operation.expired", operationId, ...about };
}
