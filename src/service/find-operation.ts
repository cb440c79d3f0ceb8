import type { Operation } from "../contract/operation.js";
import type { OperationsContext } from "../operations/context.js";
import { readOperation } from "../operations/store-answer.js";

/** Returns an operation of one definition, if it belongs to this tenant. */
export async function findOperation(
  context: OperationsContext,
  definition: string,
  id: string,
  tenant: string,
): Promise<Operation | undefined> {
  const operation = await readOperation(context, id, tenant);
  return operation?.definition === definition ? operation : undefined;
}
