import { isOperationId, type Operation } from "../contract/operation.js";
import type { OperationsContext } from "./context.js";
import { storeAnswer } from "./store-answer.js";

/**
 * Returns an operation of this tenant, unless clients do not know of it yet. Malformed ids never reach a store.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export async function readOperation(
  context: OperationsContext,
  id: string,
  tenant: string,
): Promise<Operation | undefined> {
  if (!isOperationId(id)) return undefined;
  const operation = await storeAnswer(context, context.backend.operations.get(id, tenant));
  return operation?.state === "preparing" ? undefined : operation;
}
