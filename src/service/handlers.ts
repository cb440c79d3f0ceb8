import type { OperationDefinition } from "../contract/definition/definition.js";
import type { OrderDefinition } from "../contract/definition/order.js";
import type { ServiceContext } from "../http/context.js";
import { answer, finish, refuse } from "../http/handle.js";
import { deprecationFields } from "../http/message/deprecation-fields.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../http/message/message.js";
import { notFound } from "../http/message/refusals.js";
import { cancelOperation as cancel } from "../http/operation/cancel-operation.js";
import { getOperation as get } from "../http/operation/get-operation.js";
import { listOperations as list } from "../http/operation/list-operations.js";
import { matchPath, NO_PARAMS, pathOf } from "../http/routing/route-table.js";
import { submit } from "../http/submit/submit-operation.js";
import { contextOf } from "./check-service.js";
import type { Service } from "./service.js";

/**
 * Accepts an order and replies before the work is done: 202 with `Location` and `Retry-After` (spec §4.1), or 201 if
 * the service has a `create` function. Refuses invalid requests before anything is stored (§7). With `Prefer: wait`,
 * the reply is a 200 if the work ends in time. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function submitOrder(
  request: HttpRequest,
  service: Service<readonly [OrderDefinition, ...OperationDefinition[]]>,
  context: RequestContext = {},
): Promise<HttpResponse> {
  return submitTo(request, contextOf(service, "submitOrder"), service.definitions[0], context);
}

/**
 * Accepts work of one definition, like {@link submitOrder}. If the path of the definition has fields and the path of
 * the request does not match it, the reply is a 404. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function submitOperation(
  request: HttpRequest,
  service: Service,
  definition: OperationDefinition,
  context: RequestContext = {},
): Promise<HttpResponse> {
  return submitTo(request, contextOf(service, "submitOperation"), definition, context);
}

function submitTo(
  request: HttpRequest,
  service: ServiceContext,
  definition: OperationDefinition,
  context: RequestContext,
): Promise<HttpResponse> {
  const { path, deprecated } = definition;
  const pattern = service.settings.basePath + path;
  const params = path.includes("{") ? matchPath(pattern, pathOf(request)) : NO_PARAMS;
  const replying =
    params === undefined
      ? refuse(service, request, definition, notFound())
      : answer(service, request, definition, () => submit(request, service, { definition, params, context }));
  return finish(request, replying, deprecated && deprecationFields(deprecated));
}

/**
 * Replies with the status of an operation: 200 while it is pending and after it has ended (spec §4.2). The reply for
 * an operation of another tenant is the same 404 as for an unknown one. With `Prefer: wait`, a `GET` waits until the
 * operation ends, or until it changes if the request has `If-None-Match`. With `Accept: text/event-stream`, the reply is a
 * stream of the states of the operation. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 *
 * @param context If it has a `signal`, a wait or a stream ends when the client disconnects.
 */
export function getOperation(
  request: HttpRequest,
  service: Service,
  context: RequestContext = {},
): Promise<HttpResponse> {
  return answer(contextOf(service, "getOperation"), request, "operation", get, context);
}

/**
 * Lists the operations of the caller's tenant, newest first. `Link` leads to the next page (RFC 8288). If the option
 * `list` of the service is off, the reply is a 404. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function listOperations(request: HttpRequest, service: Service): Promise<HttpResponse> {
  return answer(contextOf(service, "listOperations"), request, "operations", list);
}

/**
 * Cancels an operation if its definition is `cancellable`. Otherwise the reply is 405. The reply is 200 if the
 * operation has ended, cancelled or not. It is 202 with `cancelRequested` if a worker is running the operation. Clients
 * can repeat the request. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function cancelOperation(request: HttpRequest, service: Service): Promise<HttpResponse> {
  return answer(contextOf(service, "cancelOperation"), request, "operation", cancel);
}
