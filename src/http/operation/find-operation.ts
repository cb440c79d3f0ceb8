import { isOperationId, type Operation } from "../../contract/operation.js";
import { readOperation } from "../../operations/read.js";
import type { ServiceContext } from "../context.js";
import type { HttpRequest } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { pathOf } from "../routing/route-table.js";

/**
 * Returns the id in the path of a request to the status endpoint. Malformed ids never reach a store.
 *
 * Throws `NOT_FOUND`.
 *
 * @param suffix What follows the id. Default: nothing.
 */
export function operationIdOf(request: HttpRequest, suffix = ""): string {
  const whole = pathOf(request);
  const path = whole.slice(0, whole.length - suffix.length);
  const id = path.slice(path.lastIndexOf("/") + 1);
  if (isOperationId(id)) return id;
  throw notFound();
}

/**
 * Returns an operation, if it belongs to this tenant.
 *
 * Throws `NOT_FOUND`.
 */
export async function findOperation(service: ServiceContext, id: string, tenant: string): Promise<Operation> {
  const operation = await readOperation(service, id, tenant);
  if (operation === undefined) throw notFound();
  return operation;
}
