import { isOperationId, isTerminal, type Operation } from "../../contract/operation.js";
import {
  type ToTime,
  toTimeText,
  toVisible,
  type VisibleOperation,
} from "../../contract/visible-operation.js";
import type { Format } from "../../formats/format.js";
import type { Snapshot } from "../../operations/following/hub.js";
import { readOperation } from "../../operations/store-answer.js";
import type { ServiceContext } from "../context.js";
import type { HttpRequest, HttpResponse } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { entityTag, type Fields, matches, notModified, reply } from "../message/reply.js";
import { pathOf } from "../routing/route-table.js";

/** Returns the path of an operation at the status endpoint. */
export function monitorPath({ settings }: Pick<ServiceContext, "settings">, id: string): string {
  return `${settings.basePath}${settings.statusPath}/${id}`;
}

/** Follows the path of an operation in the path of its output. */
export const OUTPUT_SUFFIX = "/output";

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

/** Creates the 200 for an operation, with its `ETag`. Learns from the end of the operation. */
export function present(
  service: ServiceContext,
  operation: Operation,
  format: Format,
): HttpResponse | Promise<HttpResponse> {
  const { definition: name } = operation;
  const fields: Fields = { "cache-control": "private, no-cache" };
  // A process without a worker learns durations only from operations that clients read.
  if (isTerminal(operation.state)) service.estimate.readEnded(operation);
  else fields["retry-after"] = retryAfter(service, operation);
  addSuccessorLink(fields, service, operation);
  const full = reply(
    format,
    { status: 200, kind: "operation", name, value: shown(service, operation) },
    fields,
  );
  const tag = entityTag(full, service.runtime.hash);
  const complete = (etag: string): HttpResponse => {
    fields.etag = etag;
    return full;
  };
  return typeof tag === "string" ? complete(tag) : tag.then(complete);
}

/** Returns an operation as the status endpoint shows it. */
export function shown(service: ServiceContext, operation: Operation): VisibleOperation<string> {
  return viewOf(service, operation, toTimeText);
}

/** Returns an operation as readers see it who have it in their process, or its JSON. */
export function viewOf<Time>(
  service: Pick<ServiceContext, "definitions" | "settings">,
  operation: Operation,
  toTime: ToTime<Time>,
): VisibleOperation<Time> {
  const href = hasOutput(service, operation) ? monitorPath(service, operation.id) + OUTPUT_SUFFIX : undefined;
  return toVisible(operation, toTime, service.settings.problemBaseUri, href);
}

/** Returns whether the work of an operation writes chunks. */
export function hasOutput(
  { definitions }: Pick<ServiceContext, "definitions">,
  { definition }: Pick<Operation, "definition">,
): boolean {
  return definitions.some(({ name, chunk }) => name === definition && chunk !== undefined);
}

/** Creates the 200 like {@link present}, once for all requests that wait for the operation. */
export function presentSnapshot(
  service: ServiceContext,
  snapshot: Snapshot,
  format: Format,
): Promise<HttpResponse> {
  return snapshot.once(format, async () => present(service, snapshot.operation, format));
}

/** Returns the 200, or a 304 if the client already has this representation. */
export function unlessMatched(full: HttpResponse, ifNoneMatch: string | undefined): HttpResponse {
  return hasMatch(full, ifNoneMatch) ? notModified(full) : full;
}

/** Returns whether the client already has this representation. */
export function hasMatch({ headers }: HttpResponse, ifNoneMatch: string | undefined): boolean {
  return matches(ifNoneMatch, headers.etag ?? "");
}

/** Returns `Retry-After` of a pending operation. Seconds. */
export function retryAfter(
  { estimate, runtime }: ServiceContext,
  operation: Pick<Operation, "id" | "definition">,
): string {
  return String(estimate.pending(operation, runtime.clock.now()));
}

/**
 * Links a failed operation to the one that runs it again, so clients of the failed operation can find the new one.
 * The body cannot contain this link, because a terminal operation and its `ETag` never change.
 *
 * `successor-version` is registered with IANA (RFC 5829 §3.6). It fits, because the new operation replaces the failed
 * one, and an operation has at most one successor.
 */
export function addSuccessorLink(
  fields: Fields,
  service: Pick<ServiceContext, "settings">,
  operation: Pick<Operation, "retriedBy"> | undefined,
): void {
  const id = operation?.retriedBy;
  if (id !== undefined) fields.link = `<${monitorPath(service, id)}>; rel="successor-version"`;
}
