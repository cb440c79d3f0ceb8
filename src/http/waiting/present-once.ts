import type { Operation } from "../../contract/operation.js";
import type { Format } from "../../formats/format.js";
import type { ServiceContext } from "../context.js";
import type { HttpResponse } from "../message/message.js";
import { present } from "../operation/present.js";

const replies = new WeakMap<Operation, Map<Format, Promise<HttpResponse>>>();

/**
 * Creates the 200 for an operation like `present`, once for all requests that wait for it.
 *
 * @param operation An object that only the waiting requests hold, because the reply is kept as long as the object.
 */
export function presentOnce(
  service: ServiceContext,
  operation: Operation,
  format: Format,
): Promise<HttpResponse> {
  const byFormat = replies.get(operation) ?? new Map<Format, Promise<HttpResponse>>();
  replies.set(operation, byFormat);
  const known = byFormat.get(format) ?? present(service, operation, format);
  byFormat.set(format, known);
  return known;
}
