import { isTerminal, type Operation } from "../../contract/operation.js";
import { toTimeText, toVisible, type VisibleOperation } from "../../contract/visible-operation.js";
import type { Snapshot } from "../../following/snapshot.js";
import type { Format } from "../../formats/format.js";
import type { ServiceContext } from "../context.js";
import { entityTag, matches } from "../message/entity-tag.js";
import type { HttpResponse } from "../message/message.js";
import { type Fields, notModified, reply } from "../message/reply.js";
import { addSuccessorLink } from "./links.js";

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
export function shown({ settings }: ServiceContext, operation: Operation): VisibleOperation<string> {
  return toVisible(operation, toTimeText, settings.problemBaseUri);
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
